// Progress on stderr, or none.
#pragma once

#include <optional>

#include "harness/sweep/sweep_listener.hpp"
#include "reporters/console/progress.hpp"

namespace graphbench::cli {

class ConsoleProgress final : public sweep::SweepListener {
 public:
  explicit ConsoleProgress(bool quiet);
  void update(const model::Progress& progress) override;
  void finish();

 private:
  std::optional<reporters::ProgressPrinter> printer_;  // absent where quiet
};

}  // namespace graphbench::cli
