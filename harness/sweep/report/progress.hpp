// Says what a sweep will run, and shows it running: one live line on a terminal, plain lines elsewhere.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "harness/model/plan.hpp"
#include "harness/model/progress.hpp"
#include "harness/sweep/sweep_listener.hpp"

namespace graphbench::sweep {

// "324 cells, 36 processes"
std::string plan_in_words(std::int64_t cells, std::int64_t processes);

// "4 minutes"
std::string about(double seconds);

// For example "the result of 2026-11-25T14:52:01Z (42 cells of mlp on NVIDIA H200)".
std::string result_in_words(const model::Result& head, std::int64_t cells);

// Not thread-safe. Reads no clock: the time is Progress::elapsed_seconds.
class ProgressPrinter final : public SweepListener {
 public:
  // Prints on stderr; with `quiet` prints nothing.
  explicit ProgressPrinter(bool quiet);
  // `terminal`: redraws one line in place, at most ten times per second. Otherwise prints one line per
  // finished task, at most one per second. `width`: the live line's maximum in columns.
  ProgressPrinter(std::ostream& out, bool terminal, bool colours, int width = 100);
  ~ProgressPrinter() override { finish(); }
  void update(const model::Progress& progress) override;
  // Ends the live line, or prints the update that the rate limit delayed. Later updates begin a new line.
  void finish();

 private:
  void draw(const model::Progress& progress);
  void print_line(const model::Progress& progress);

  std::ostream& out_;
  bool terminal_;
  bool colours_;
  int width_;
  bool quiet_ = false;
  bool drawn_ = false;
  bool pending_ = false;  // `last_` was not shown yet
  double shown_at_seconds_ = -1e9;
  std::int64_t tasks_shown_ = 0;
  model::Progress last_;
};

}  // namespace graphbench::sweep
