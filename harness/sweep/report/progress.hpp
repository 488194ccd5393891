// Shows a running sweep: one live line on a terminal, plain lines elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>

#include "harness/model/progress.hpp"
#include "harness/sweep/sweep_listener.hpp"

namespace graphbench::reporters {

// Not thread-safe. The clock is Progress::elapsed_seconds: the printer itself reads none.
class ProgressPrinter {
 public:
  // `terminal`: redraw one line in place (at most ten times per second). Otherwise one line per finished
  // task, at most one per second. `width`: columns the live line may take.
  ProgressPrinter(std::ostream& out, bool terminal, bool colours, int width = 100);
  void update(const model::Progress& progress);
  // Ends the live line, or prints what the rate limit held back. Later updates start afresh.
  void finish();

 private:
  void draw(const model::Progress& progress);
  void print_line(const model::Progress& progress);

  std::ostream& out_;
  bool terminal_;
  bool colours_;
  int width_;
  bool drawn_ = false;
  bool pending_ = false;  // `last_` has not been shown
  double shown_at_seconds_ = -1e9;
  std::int64_t tasks_shown_ = 0;
  model::Progress last_;
};

}  // namespace graphbench::reporters

namespace graphbench::cli {

// A sweep on stderr.
class ConsoleProgress final : public sweep::SweepListener {
 public:
  explicit ConsoleProgress(bool quiet);
  void update(const model::Progress& progress) override;
  void finish();

 private:
  std::optional<reporters::ProgressPrinter> printer_;  // absent if quiet
};

}  // namespace graphbench::cli
