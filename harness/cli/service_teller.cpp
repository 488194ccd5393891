// Lines on the descriptor that the service reads.
#include "harness/cli/service_teller.hpp"

#include <algorithm>
#include <iterator>

#include "harness/serve/sweep_events.hpp"
#include "harness/worker/child_io.hpp"

namespace graphbench::cli {

ServiceTeller::ServiceTeller(const std::string& device, const model::DeviceFacts& facts) {
  worker::send_line(serve::encode_sweep_event(serve::SweepBegan{device, facts}));
}

void ServiceTeller::update(const model::Progress& progress) {
  worker::send_line(serve::encode_sweep_event(serve::SweepProgress{progress}));
}

void ServiceTeller::cells_done(const std::vector<model::CellResult>& cells) {
  worker::send_line(serve::encode_sweep_event(serve::SweepCells{cells, {}}));
}

void ServiceTeller::tell_floors(const model::Result& result) {
  std::vector<model::CellResult> cells;
  std::ranges::copy_if(result.cells, std::back_inserter(cells), [](const model::CellResult& cell) {
    return cell.summary.submit_over_floor.has_value();
  });
  if (!cells.empty()) worker::send_line(serve::encode_sweep_event(serve::SweepCells{std::move(cells), {}}));
}

}  // namespace graphbench::cli
