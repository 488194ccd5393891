// The state of sweeps that /metrics shows: the running one's events, and after a restart the last published
// ones.
#pragma once

#include <memory>
#include <string>

#include "harness/service/publish/publish_settings.hpp"
#include "harness/service/serve/sweep_events.hpp"
#include "harness/service/serve/sweep_store.hpp"
#include "harness/sweep/report/sweep_metrics.hpp"

namespace graphbench::serve {

// One thread uses it; the metrics are thread-safe.
class SweepPublisher {
 public:
  // Begins with the cells of the last sweep that is done, and their comparison with `baseline`, unless that
  // is null. A line on stderr says where the sweep cannot be read.
  SweepPublisher(reporters::SweepMetrics& metrics, std::shared_ptr<const publish::Baseline> baseline,
                 const SweepStore& store);

  // These are called in this order for each sweep. One that never reported its device has nothing to end.
  void prepare() { device_.clear(); }
  void begin(const SweepBegan& event);
  void update(const model::Progress& progress) { metrics_.set_progress(device_, progress); }
  void set_cell(const model::CellResult& cell) { metrics_.set_cell(device_, cell); }
  void end(const std::string& id, const SweepEnd& end);

 private:
  void show_again(const SweepStore& store, const SweepStore::Ended& sweep);
  void note(const std::string& id, const std::string& document);
  void compare(const std::string& id, const std::string& document);

  reporters::SweepMetrics& metrics_;
  const std::shared_ptr<const publish::Baseline> baseline_;
  std::string device_;  // device of the running sweep; empty: not known yet
};

}  // namespace graphbench::serve
