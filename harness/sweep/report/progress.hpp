// Shows a running sweep: one live line on a terminal, plain lines elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>

#include "harness/model/progress.hpp"
#include "harness/sweep/sweep_listener.hpp"

namespace graphbench::reporters {

// Not thread-safe. Reads no clock: the time is Progress::elapsed_seconds.
class ProgressPrinter {
 public:
  // `terminal`: redraws one line in place, at most ten times per second. Otherwise prints one line per
  // finished task, at most one per second. `width`: the live line's maximum in columns.
  ProgressPrinter(std::ostream& out, bool terminal, bool colours, int width = 100);
  void update(const model::Progress& progress);
  // Ends the live line, or prints the update that the rate limit delayed. Later updates begin a new line.
  void finish();

 private:
  void draw(const model::Progress& progress);
  void print_line(const model::Progress& progress);

  std::ostream& out_;
  bool terminal_;
  bool colours_;
  int width_;
  bool drawn_ = false;
  bool pending_ = false;  // `last_` was not shown yet
  double shown_at_seconds_ = -1e9;
  std::int64_t tasks_shown_ = 0;
  model::Progress last_;
};

}  // namespace graphbench::reporters

namespace graphbench::cli {

// Shows a sweep's progress on stderr.
class ConsoleProgress final : public sweep::SweepListener {
 public:
  explicit ConsoleProgress(bool quiet);
  void update(const model::Progress& progress) override;
  void finish();

 private:
  std::optional<reporters::ProgressPrinter> printer_;  // absent if quiet
};

}  // namespace graphbench::cli
