// Shows sweeps on /metrics. Sweeps that ended before the service started are shown from their stored cells.
#include "harness/service/serve/sweep_publisher.hpp"

#include <exception>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "graphs/base/clock.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/model/codec/documents.hpp"

namespace graphbench::service {

// What is shown of a sweep of an earlier process.
struct SweepPublisher::Earlier {
  SweepStore::Ended sweep;
  SweepBegan began;
  std::vector<model::CellResult> cells;  // those that no newer sweep of the device has
  bool is_last = false;                  // of its device
};

namespace {

// Calls `use` for complete sweeps, the newest first, until it returns false. Warns of one that cannot be
// used.
void for_each_done(const SweepStore& store, const std::function<bool(const SweepStore::Ended&)>& use) {
  std::optional<SweepStore::Ended> sweep = store.last_done();
  while (sweep) {
    try {
      if (!use(*sweep)) return;
    } catch (const std::exception& error) {
      complain("warning: /metrics starts without sweep %s: %s", sweep->id.c_str(), error.what());
    }
    sweep = store.last_done(sweep->number);
  }
}

SweepBegan began_of(const SweepStore::Ended& sweep) {
  const SweepEvent event = decode_sweep_event(sweep.began);
  const auto* began = std::get_if<SweepBegan>(&event);
  if (began == nullptr)
    throw Error(ErrorCode::invalid_argument, "read sweep event: the event has another kind");
  return *began;
}

}  // namespace

SweepPublisher::SweepPublisher(sweep::SweepMetrics& metrics, std::shared_ptr<const Baseline> baseline,
                               const SweepStore& store)
    : metrics_(metrics), baseline_(std::move(baseline)) {
  std::vector<Earlier> all;
  std::set<std::string> devices;
  std::set<std::pair<std::string, std::string>> seen;  // device and id
  for_each_done(store, [&](const SweepStore::Ended& sweep) {
    Earlier earlier{sweep, began_of(sweep), {}, false};
    // Documents are long, and most sweeps measure again what an earlier one has measured.
    std::set<std::string> wanted;
    for (std::string& id : store.cell_ids(sweep.id)) {
      if (!seen.contains({earlier.began.device, id})) wanted.insert(std::move(id));
    }
    // Reads all cells before the first is shown, so that unreadable cells are not shown in part.
    if (!wanted.empty()) {
      for (const StoredCell& cell : store.cells(sweep.id, 0)) {
        if (wanted.contains(cell.id))
          earlier.cells.push_back(model::read_cell(cell.document, "cell " + cell.id));
      }
    }
    for (const std::string& id : wanted) seen.emplace(earlier.began.device, id);
    earlier.is_last = devices.insert(earlier.began.device).second;
    if (earlier.is_last || !earlier.cells.empty()) all.push_back(std::move(earlier));
    return seen.size() < metrics_.cells_max();
  });
  for (auto earlier = all.rbegin(); earlier != all.rend(); ++earlier) show_again(store, *earlier);
  say_dropped();
  device_.clear();
}

void SweepPublisher::show_again(const SweepStore& store, const Earlier& earlier) {
  const auto& [sweep, began, cells, is_last] = earlier;
  for (const model::CellResult& cell : cells) metrics_.show_cell(began.device, cell);
  if (!is_last) return;
  device_ = began.device;
  metrics_.set_device(device_, began.facts);
  model::Progress whole;
  whole.cells_done = whole.cells_total = 1;
  metrics_.set_progress(device_, whole);
  const bool success = sweep.exit_code == 0;
  metrics_.end_sweep(device_,
                     success ? std::optional(static_cast<double>(sweep.unix_seconds)) : std::nullopt);
  try {
    const std::optional<std::string> document = store.result(sweep.id);
    if (!document) return;
    const std::string source = "sweep " + sweep.id;
    const model::Result result = model::read_result(*document, source);
    metrics_.set_notes(device_, model::notes_of(result));
    if (baseline_) metrics_.set_comparison(device_, baseline_->compare_with(result, source));
  } catch (const std::exception& error) {
    complain("warning: /metrics starts with neither notes on sweep %s nor a comparison: %s", sweep.id.c_str(),
             error.what());
  }
}

void SweepPublisher::say_dropped() {
  const std::int64_t dropped = metrics_.take_dropped();
  if (dropped == 0) return;
  complain(
      "/metrics shows the %zu cells that were measured last: %lld others have fallen out (--metrics-cells)",
      metrics_.cells_max(), static_cast<long long>(dropped));
}

void SweepPublisher::begin(const SweepBegan& event) {
  device_ = event.device;
  metrics_.begin_sweep(device_);
  metrics_.set_device(device_, event.facts);
}

void SweepPublisher::end(const std::string& id, const SweepEnd& end) {
  if (device_.empty()) return;
  const bool done = end.state == SweepState::done;
  if (end.result) tell(id, *end.result, done);
  const bool success = done && end.exit_code == 0;
  metrics_.end_sweep(device_, success ? std::optional(unix_seconds_now()) : std::nullopt);
  say_dropped();
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
