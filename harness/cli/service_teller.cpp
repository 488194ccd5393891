// Lines on the descriptor that the service reads.
#include "harness/cli/service_teller.hpp"

#include "harness/serve/sweep_events.hpp"
#include "harness/worker/child_io.hpp"

namespace graphbench::cli {

ServiceTeller::ServiceTeller(const std::string& device, const model::DeviceFacts& facts) {
  worker::send_line(serve::encode_sweep_event(serve::SweepBegan{device, facts}));
}

void ServiceTeller::update(const model::Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  const bool all_done = progress.cells_done == progress.cells_total;
  if (told_at_ && now < *told_at_ + std::chrono::seconds(1) && !all_done) return;
  told_at_ = now;
  worker::send_line(serve::encode_sweep_event(serve::SweepProgress{progress}));
}

void ServiceTeller::cells_done(const std::vector<model::CellResult>& cells) {
  worker::send_line(serve::encode_sweep_event(serve::SweepCells{cells, {}}));
}

}  // namespace graphbench::cli
