// Lines on the descriptor that the service reads.
#include "harness/cli/service_reporter.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "graphbench_version.hpp"
#include "harness/machine/environment.hpp"
#include "harness/process/child_io.hpp"
#include "harness/service/serve/sweep_events.hpp"

namespace graphbench::cli {

ServiceReporter::ServiceReporter(const std::string& device, const model::DeviceFacts& facts,
                                 std::string identity)
    : identity_(std::move(identity)) {
  process::send_line(serve::encode_sweep_event(serve::SweepBegan{device, facts}));
}

void ServiceReporter::update(const model::Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  const bool all_done = progress.cells_done == progress.cells_total;
  if (reported_at_ && now < *reported_at_ + std::chrono::seconds(1) && !all_done) return;
  reported_at_ = now;
  process::send_line(serve::encode_sweep_event(serve::SweepProgress{progress}));
}

void ServiceReporter::cells_done(const std::vector<model::CellResult>& cells) {
  process::send_line(serve::encode_sweep_event(serve::SweepCells{cells, {}, identity_}));
}

std::string ServiceReporter::identity_of(const model::Plan& plan, const model::DeviceFacts& facts) {
  model::Environment environment = machine::read_environment();
  environment.device = facts;
  return plan.facts.hash + " " + std::to_string(plan.facts.launches) + " " +
         machine::fingerprint_of(environment) + " " + environment.hostname + " " + facts.uuid + " " +
         GRAPHBENCH_COMMIT;
}

std::vector<model::CellResult> ServiceReporter::finished_cells(const std::string& kept,
                                                               const std::string& identity) {
  std::vector<model::CellResult> finished;
  std::istringstream lines(kept);
  for (std::string line; std::getline(lines, line);) {
    serve::SweepEvent event = serve::decode_sweep_event(line);
    auto* cells = std::get_if<serve::SweepCells>(&event);
    if (cells == nullptr || cells->identity != identity) continue;
    std::ranges::move(cells->cells, std::back_inserter(finished));
  }
  return finished;
}

}  // namespace graphbench::cli
