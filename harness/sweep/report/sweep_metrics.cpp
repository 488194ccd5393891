// Keeps counters, progress and facts in prometheus-cpp's registry, and the cells' lines separately.
#include "harness/sweep/report/sweep_metrics.hpp"

#include <algorithm>
#include <utility>

#include "harness/model/statistics/summary.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/sweep/report/families.hpp"

namespace graphbench::sweep {
namespace {

double steps_of(const model::CellResult& cell) {
  std::int64_t steps = 0;
  for (const model::Launch& launch : cell.launches) {
    // Also counts samples of the ramp (the first steps) that the document has: no summary includes the ramp.
    steps += std::min<std::int64_t>(std::ssize(launch.latency_samples), model::ramp_samples);
    if (launch.latency_seconds) steps += launch.latency_seconds->count;
    if (launch.device_seconds) steps += launch.device_seconds->count;
  }
  return static_cast<double>(steps);
}

}  // namespace

SweepMetrics::SweepMetrics(const std::string& version, std::size_t cells_max) : cells_max_(cells_max) {
  gauge(registry_, "graphbench_build_info").Add({{"version", version}}).Set(1);
  // Creates the counters with 0: otherwise rate() would miss the first increment.
  for (const auto status : {model::CellStatus::ok, model::CellStatus::skipped, model::CellStatus::failed}) {
    cells_total_.Add({{"status", std::string(model::name_of(status))}});
  }
}

void SweepMetrics::begin_sweep(const std::string& device) {
  const Change change(*this);
  progress_.Add({{"device", device}}).Set(0);
  running_.Add({{"device", device}}).Set(1);
  std::erase_if(counted_, [&](const CellKey& key) { return key.device == device; });
}

void SweepMetrics::set_device(const std::string& device, const model::DeviceFacts& facts) {
  const Change change(*this);
  set_info(devices_, device,
           {{{"kind", facts.kind},
             {"name", facts.name},
             {"uuid", facts.uuid},
             {"compute_capability", facts.compute_capability},
             {"driver", facts.driver},
             {"runtime", facts.runtime}}});
  std::vector<prometheus::Labels> libraries;
  for (const auto& [name, version] : facts.libraries)
    libraries.push_back({{"name", name}, {"version", version}});
  set_info(libraries_, device, libraries);
}

void SweepMetrics::set_progress(const std::string& device, const model::Progress& progress) {
  if (progress.cells_total <= 0) return;
  const Change change(*this);
  progress_.Add({{"device", device}})
      .Set(static_cast<double>(progress.cells_done) / static_cast<double>(progress.cells_total));
}

void SweepMetrics::show_cell(const std::string& device, const model::CellResult& cell) {
  const CellKey key{device, cell.cell};
  reporters::FamilyLines lines = lines_of(key, cell);
  const Change change(*this);
  Shown& shown = cells_[key];
  if (shown.turn > 0) by_turn_.erase(shown.turn);
  shown = {std::move(lines), ++turns_};
  by_turn_.emplace(shown.turn, key);
  if (cells_.size() <= cells_max_) return;
  const auto oldest = by_turn_.begin();
  cells_.erase(oldest->second);
  by_turn_.erase(oldest);
  ++dropped_;
  dropped_total_.Increment();
}

void SweepMetrics::set_cell(const std::string& device, const model::CellResult& cell) {
  show_cell(device, cell);
  const Change change(*this);
  if (!counted_.insert({device, cell.cell}).second) return;
  cells_total_.Add({{"status", std::string(model::name_of(cell.status))}}).Increment();
  steps_.Increment(steps_of(cell));
  if (cell.status == model::CellStatus::skipped && model::is_graph_mode(cell.cell.mode)) {
    skips_.Add({{"reason", cell.reason ? cell.reason->code : "internal"}}).Increment();
  } else if (cell.counters) {
    for (const auto& [reason, count] : cell.counters->skips)
      skips_.Add({{"reason", reason}}).Increment(static_cast<double>(count));
  }
}

std::int64_t SweepMetrics::take_dropped() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(dropped_, 0);
}

void SweepMetrics::set_comparison(const std::string& device, const model::Comparison& comparison) {
  const Change change(*this);
  std::map<std::string, model::Cell> cells;
  for (const auto& [key, shown] : cells_) {
    if (key.device == device) cells.emplace(model::id_of(key.cell), key.cell);
  }
  comparisons_[device] = lines_of(device, cells, comparison);
}

void SweepMetrics::set_notes(const std::string& device, const std::vector<model::Note>& notes) {
  const Change change(*this);
  std::vector<prometheus::Labels> codes;
  for (const model::Note& note : notes) codes.push_back({{"code", note.code}});
  set_info(notes_, device, codes);
}

void SweepMetrics::set_info(prometheus::Family<prometheus::Gauge>& family, const std::string& device,
                            const std::vector<prometheus::Labels>& all) {
  std::set<prometheus::Gauge*>& series = info_series_[{&family, device}];
  for (prometheus::Gauge* earlier : series) family.Remove(earlier);
  series.clear();
  for (prometheus::Labels labels : all) {
    labels.emplace("device", device);
    prometheus::Gauge& info = family.Add(labels);
    info.Set(1);
    series.insert(&info);
  }
}

void SweepMetrics::end_sweep(const std::string& device, std::optional<double> unix_seconds) {
  const Change change(*this);
  running_.Add({{"device", device}}).Set(0);
  if (!unix_seconds) return;
  last_success_.Add({{"device", device}}).Set(*unix_seconds);
}

std::shared_ptr<const std::string> SweepMetrics::text() const {
  const std::scoped_lock lock(mutex_);
  if (text_) return text_;
  std::string text;
  text.reserve(text_bytes_ + text_bytes_ / 8);  // leaves room, because growing the string would copy it
  text += reporters::rendered(registry_.Collect());
  std::vector<const reporters::FamilyLines*> cells;
  for (const auto& [cell, shown] : cells_) cells.push_back(&shown.lines);
  reporters::append_families(text, cell_families(), cells);
  std::vector<const reporters::FamilyLines*> comparisons;
  for (const auto& [name, lines] : comparisons_) comparisons.push_back(&lines);
  reporters::append_families(text, coverage_families(), comparisons);
  reporters::append_families(text, change_families(), comparisons);
  reporters::append_families(text, mean_families(), comparisons);
  text_bytes_ = text.size();
  text_ = std::make_shared<const std::string>(std::move(text));
  return text_;
}

}  // namespace graphbench::sweep
