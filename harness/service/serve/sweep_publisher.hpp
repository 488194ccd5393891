// Shows on /metrics the newest values of each cell, those of the running sweep as they finish.
#pragma once

#include <memory>
#include <string>

#include "harness/service/publish/publish_settings.hpp"
#include "harness/service/serve/sweep_events.hpp"
#include "harness/service/serve/sweep_store.hpp"
#include "harness/sweep/report/sweep_metrics.hpp"

namespace graphbench::service {

// Used by one thread; the metrics are thread-safe.
class SweepPublisher {
 public:
  // Shows the cells of complete sweeps, the newest values of each, and compares each device's last sweep with
  // `baseline` unless null. Warns on stderr of each sweep that cannot be shown.
  SweepPublisher(sweep::SweepMetrics& metrics, std::shared_ptr<const Baseline> baseline,
                 const SweepStore& store);

  // The runner calls these in this order for each sweep. end() does nothing if no device was reported.
  void prepare() { device_.clear(); }
  void begin(const SweepBegan& event);
  void update(const model::Progress& progress) { metrics_.set_progress(device_, progress); }
  void set_cell(const model::CellResult& cell) { metrics_.set_cell(device_, cell); }
  void end(const std::string& id, const SweepEnd& end);

 private:
  struct Earlier;
  // Shows one sweep of an earlier process; those that it shows later are newer.
  void show_again(const SweepStore& store, const Earlier& earlier);
  void say_dropped();
  // Shows the notes on an ended sweep and, if it is done, its comparison with the baseline.
  void tell(const std::string& id, const std::string& document, bool done);

  sweep::SweepMetrics& metrics_;
  const std::shared_ptr<const Baseline> baseline_;
  std::string device_;  // the running sweep's; empty: not known yet
};

}  // namespace graphbench::service
