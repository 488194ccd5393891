// Shows sweeps on /metrics. A sweep that ended before the service started is shown from its stored cells.
#include "harness/service/serve/sweep_publisher.hpp"

#include <exception>
#include <utility>

#include "graphs/base/clock.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/model/codec/documents.hpp"

namespace graphbench::service {

SweepPublisher::SweepPublisher(sweep::SweepMetrics& metrics, std::shared_ptr<const Baseline> baseline,
                               const SweepStore& store)
    : metrics_(metrics), baseline_(std::move(baseline)) {
  const std::optional<SweepStore::Ended> last = store.last_done();
  if (!last) return;
  try {
    show_again(store, *last);
  } catch (const std::exception& error) {
    complain("warning: /metrics starts without sweep %s: %s", last->id.c_str(), error.what());
  }
}

// Reads all cells before it shows the first one, so that unreadable cells are not shown in part.
void SweepPublisher::show_again(const SweepStore& store, const SweepStore::Ended& sweep) {
  const SweepEvent event = decode_sweep_event(sweep.began);
  const auto* began = std::get_if<SweepBegan>(&event);
  if (began == nullptr)
    throw Error(ErrorCode::invalid_argument, "read sweep event: the event has another kind");
  std::vector<model::CellResult> cells;
  for (const StoredCell& cell : store.cells(sweep.id, 0))
    cells.push_back(model::read_cell(cell.document, "cell " + cell.id));
  device_ = began->device;
  metrics_.set_device(device_, began->facts);
  for (const model::CellResult& cell : cells) metrics_.show_cell(device_, cell);
  model::Progress whole;
  whole.cells_done = whole.cells_total = static_cast<std::int64_t>(cells.size());
  metrics_.set_progress(device_, whole);
  const bool success = sweep.exit_code == 0;
  metrics_.end_sweep(device_,
                     success ? std::optional(static_cast<double>(sweep.unix_seconds)) : std::nullopt);
  const std::optional<std::string> document = store.result(sweep.id);
  if (!document) return;
  const std::string source = "sweep " + sweep.id;
  const model::Result result = model::read_result(*document, source);
  metrics_.set_notes(device_, model::notes_of(result));
  if (baseline_) metrics_.set_comparison(device_, baseline_->compare_with(result, source));
}

void SweepPublisher::begin(const SweepBegan& event) {
  device_ = event.device;
  metrics_.begin_sweep(device_);
  metrics_.set_device(device_, event.facts);
}

void SweepPublisher::end(const std::string& id, const SweepEnd& end) {
  if (device_.empty()) return;
  const bool done = end.state == SweepState::done;
  if (done) metrics_.drop_vanished(device_);
  if (end.result) tell(id, *end.result, done);
  const bool success = done && end.exit_code == 0;
  metrics_.end_sweep(device_, success ? std::optional(unix_seconds_now()) : std::nullopt);
}

void SweepPublisher::tell(const std::string& id, const std::string& document, bool done) {
  model::Result result;
  try {
    result = model::read_result(document, "sweep " + id);
  } catch (const std::exception& error) {
    complain("warning: /metrics has neither notes on sweep %s nor a comparison: %s", id.c_str(),
             error.what());
    return;
  }
  metrics_.set_notes(device_, model::notes_of(result));
  // Compares only complete sweeps, because missing cells would count as lost.
  if (!done || !baseline_) return;
  try {
    const model::Comparison comparison = baseline_->compare_with(result, "sweep " + id);
    metrics_.set_comparison(device_, comparison);
    complain("%ssweep %s %s", comparison.comparable ? "" : "warning: ", id.c_str(),
             baseline_->said_of(comparison).c_str());
  } catch (const std::exception& error) {
    complain("warning: sweep %s is not compared with the baseline: %s", id.c_str(), error.what());
  }
}

}  // namespace graphbench::service
