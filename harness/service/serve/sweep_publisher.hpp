// What /metrics shows of sweeps: of the running one as it tells, and after a restart what was shown last.
#pragma once

#include <memory>
#include <string>

#include "harness/service/publish/baseline.hpp"
#include "harness/service/serve/sweep_events.hpp"
#include "harness/service/serve/sweep_store.hpp"
#include "harness/sweep/report/sweep_metrics.hpp"

namespace graphbench::serve {

// Of one thread, but for the metrics themselves.
class SweepPublisher {
 public:
  // Begins with the last sweep that is done: its cells, and how they compare with the baseline where there is
  // one. Where it cannot be read a line on stderr says so. `baseline` null: none.
  SweepPublisher(reporters::SweepMetrics& metrics, std::shared_ptr<const publish::Baseline> baseline,
                 const SweepStore& store);

  // In this order for each sweep; one that never reported its device has nothing to end.
  void prepare();
  void begin(const SweepBegan& event);
  void update(const model::Progress& progress);
  void set_cell(const model::CellResult& cell);
  void end(const std::string& id, const SweepEnd& end);

 private:
  void show_again(const SweepStore& store, const SweepStore::Ended& sweep);
  void compare(const std::string& id, const std::string& document);

  reporters::SweepMetrics& metrics_;
  const std::shared_ptr<const publish::Baseline> baseline_;
  std::string device_;  // of the running sweep; empty: not known yet
};

}  // namespace graphbench::serve
