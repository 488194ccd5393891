// Counters, progress and facts live in prometheus-cpp's registry, the cells' lines beside it; the text is
// put together when somebody reads it, once for all who read before the next change.
#include "reporters/prometheus/sweep_metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "reporters/prometheus/cell_series.hpp"
#include "reporters/prometheus/comparison_series.hpp"
#include "reporters/prometheus/families.hpp"
#include "reporters/prometheus/line_text.hpp"
#include "reporters/prometheus/render.hpp"

namespace graphbench::reporters {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Registry;

Family<Gauge>& gauge(Registry& registry, const char* name) {
  return prometheus::BuildGauge().Name(name).Help(family_of_process(name).help).Register(registry);
}

Family<Counter>& counter(Registry& registry, const char* name) {
  return prometheus::BuildCounter().Name(name).Help(family_of_process(name).help).Register(registry);
}

// Appends each family that has a series, with its help and type. A family without series would be a promise
// without numbers.
template <typename Keyed>
void append(std::string& text, const FamilyRow& family, std::size_t place, const Keyed& all) {
  const auto is_empty = [&](const auto& each) {
    return each.second.size() <= place || each.second[place].empty();
  };
  if (std::ranges::all_of(all, is_empty)) return;
  const auto type =
      family.type == "summary" ? prometheus::MetricType::Summary : prometheus::MetricType::Gauge;
  text += head_text(family.name, family.help, type);
  for (const auto& each : all) {
    if (!is_empty(each)) text += each.second[place];
  }
}

double steps_of(const model::CellResult& cell) {
  std::int64_t steps = 0;
  for (const model::Launch& launch : cell.launches) {
    if (launch.latency_seconds) steps += launch.latency_seconds->count;
    if (launch.device_seconds) steps += launch.device_seconds->count;
  }
  return static_cast<double>(steps);
}

}  // namespace

class SweepMetrics::Impl {
 public:
  explicit Impl(const std::string& version) {
    gauge(registry_, "graphbench_build_info").Add({{"version", version}}).Set(1);
    // Counters begin at 0, so that the first increment is a rate and not a birth.
    for (const auto status : {model::CellStatus::ok, model::CellStatus::skipped, model::CellStatus::failed}) {
      cells_total_.Add({{"status", std::string(model::name_of(status))}});
    }
  }

  void begin_sweep(const std::string& device) {
    const Change change(*this);
    progress_.Add({{"device", device}}).Set(0);
    running_.Add({{"device", device}}).Set(1);
    std::erase_if(counted_, [&](const CellKey& key) { return key.device == device; });
  }

  void set_device(const std::string& device, const model::DeviceFacts& facts) {
    const Change change(*this);
    Gauge& info = devices_.Add({{"device", device},
                                {"kind", facts.kind},
                                {"name", facts.name},
                                {"uuid", facts.uuid},
                                {"compute_capability", facts.compute_capability},
                                {"driver", facts.driver},
                                {"runtime", facts.runtime}});
    info.Set(1);
    Gauge*& known = device_series_[device];
    if (known != nullptr && known != &info) devices_.Remove(known);
    known = &info;
  }

  void set_progress(const std::string& device, const model::Progress& progress) {
    if (progress.cells_total <= 0) return;
    const Change change(*this);
    progress_.Add({{"device", device}})
        .Set(static_cast<double>(progress.cells_done) / static_cast<double>(progress.cells_total));
  }

  void show_cell(const CellKey& key, const model::CellResult& cell) {
    CellLines lines = lines_of(key, cell);
    const Change change(*this);
    cells_[key] = std::move(lines);
  }

  void set_cell(const CellKey& key, const model::CellResult& cell) {
    show_cell(key, cell);
    const Change change(*this);
    if (!counted_.insert(key).second) return;
    cells_total_.Add({{"status", std::string(model::name_of(cell.status))}}).Increment();
    steps_.Increment(steps_of(cell));
    if (cell.status == model::CellStatus::skipped) {
      skips_.Add({{"reason", cell.reason ? cell.reason->code : "internal"}}).Increment();
    }
  }

  void drop_vanished(const std::string& device) {
    const Change change(*this);
    std::erase_if(cells_, [&](const auto& cell) {
      return cell.first.device == device && !counted_.contains(cell.first);
    });
  }

  void set_comparison(const std::string& device, const model::Comparison& comparison) {
    const Change change(*this);
    std::map<std::string, model::Cell> cells;
    for (const auto& [key, lines] : cells_) {
      if (key.device == device) cells.emplace(model::id_of(key.cell), key.cell);
    }
    comparisons_[device] = lines_of(device, cells, comparison);
  }

  void end_sweep(const std::string& device, std::optional<double> unix_seconds) {
    const Change change(*this);
    running_.Add({{"device", device}}).Set(0);
    if (!unix_seconds) return;
    last_success_.Add({{"device", device}}).Set(*unix_seconds);
  }

  std::shared_ptr<const std::string> text() const {
    const std::scoped_lock lock(mutex_);
    if (text_) return text_;
    std::string text;
    text.reserve(text_bytes_ + text_bytes_ / 8);  // growing into it would copy most of it again
    text += rendered(registry_.Collect());
    const std::vector<FamilyRow> all = families();
    for (std::size_t i = 0; i < all.size(); ++i) append(text, all[i], i, cells_);
    for (std::size_t i = 0; i < all.size(); ++i) append(text, all[i], i, comparisons_);
    text_bytes_ = text.size();
    text_ = std::make_shared<const std::string>(std::move(text));
    return text_;
  }

 private:
  // Holds the lock, and what was rendered before is out of date.
  class Change {
   public:
    explicit Change(Impl& impl) : lock_(impl.mutex_) { impl.text_.reset(); }

   private:
    std::scoped_lock<std::mutex> lock_;
  };

  mutable std::mutex mutex_;
  Registry registry_;
  Family<Gauge>& devices_ = gauge(registry_, "graphbench_device_info");
  Family<Gauge>& progress_ = gauge(registry_, "graphbench_sweep_progress_ratio");
  Family<Gauge>& running_ = gauge(registry_, "graphbench_sweep_running");
  Family<Gauge>& last_success_ = gauge(registry_, "graphbench_last_success_timestamp_seconds");
  Family<Counter>& cells_total_ = counter(registry_, "graphbench_cells_total");
  Counter& steps_ = counter(registry_, "graphbench_steps_total").Add({});
  Family<Counter>& skips_ = counter(registry_, "graphbench_capture_skips_total");
  std::map<std::string, Gauge*> device_series_;
  std::map<CellKey, CellLines> cells_;
  std::map<std::string, ComparisonLines> comparisons_;  // by device
  std::set<CellKey> counted_;                           // in the device's running or last sweep
  mutable std::shared_ptr<const std::string> text_;
  mutable std::size_t text_bytes_ = 0;  // of the last one
};

SweepMetrics::SweepMetrics(const std::string& tool_version) : impl_(std::make_unique<Impl>(tool_version)) {}
SweepMetrics::~SweepMetrics() = default;

void SweepMetrics::begin_sweep(const std::string& device) {
  impl_->begin_sweep(device);
}

void SweepMetrics::set_device(const std::string& device, const model::DeviceFacts& facts) {
  impl_->set_device(device, facts);
}

void SweepMetrics::set_progress(const std::string& device, const model::Progress& progress) {
  impl_->set_progress(device, progress);
}

void SweepMetrics::set_cell(const std::string& device, const model::CellResult& cell) {
  impl_->set_cell({device, cell.cell}, cell);
}

void SweepMetrics::show_cell(const std::string& device, const model::CellResult& cell) {
  impl_->show_cell({device, cell.cell}, cell);
}

void SweepMetrics::drop_vanished(const std::string& device) {
  impl_->drop_vanished(device);
}

void SweepMetrics::set_comparison(const std::string& device, const model::Comparison& comparison) {
  impl_->set_comparison(device, comparison);
}

void SweepMetrics::end_sweep(const std::string& device, std::optional<double> unix_seconds) {
  impl_->end_sweep(device, unix_seconds);
}

std::shared_ptr<const std::string> SweepMetrics::text() const {
  return impl_->text();
}

}  // namespace graphbench::reporters
