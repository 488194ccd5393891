// Reports a running sweep to Prometheus, and to the service that started it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/base/process/process_supervisor.hpp"
#include "harness/model/plan.hpp"
#include "harness/options/options.hpp"
#include "harness/service/publish/publisher.hpp"
#include "harness/service/serve/sweep_events.hpp"
#include "harness/sweep/sweep_listener.hpp"

namespace graphbench::service {

// Makes a publisher. If it listens, prints the address, but not with --quiet. Throws Error if it cannot
// listen.
std::unique_ptr<Publisher> make_publisher(const options::SweepOptions& options, PublishSettings settings);

// Called after the result is written. Prints failures on stderr, and returns false if there is one.
bool finish_publishing(Publisher& publisher, const sweep::SweepOutcome& outcome,
                       const options::SweepOptions& options, process::ProcessSupervisor& supervisor);

// Reads the service's request. Ends this process when the service, process `parent`, ends. Throws Error(io).
ServedSweep begin_served(std::string_view parent);

class ServiceReporter final : public sweep::SweepListener {
 public:
  explicit ServiceReporter(const SweepBegan& began);
  // Reports at most once per second, and at the end, because many clients may receive each report.
  void update(const model::Progress& progress) override;
  void cells_done(const std::vector<model::CellResult>& cells) override;

 private:
  std::optional<std::chrono::steady_clock::time_point> reported_at_;
};

}  // namespace graphbench::service
