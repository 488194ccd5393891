// Publishes cells, progress and the running sweep to Prometheus. dashboards/metrics.json lists the families.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/model/comparison.hpp"
#include "harness/model/findings/findings.hpp"
#include "harness/model/progress.hpp"
#include "harness/model/result.hpp"
#include "harness/sweep/report/families.hpp"
#include "harness/sweep/report/series.hpp"
#include "reporters/prometheus_text.hpp"

namespace graphbench::sweep {

// The media type of text(): the Prometheus text format, which all scrapers support.
inline constexpr const char* metrics_content_type = "text/plain; version=0.0.4; charset=utf-8";

// Thread-safe. `device` is the device's name in a sweep: "cuda:0", "host".
class SweepMetrics {
 public:
  // Shows the newest values of each cell and device, for at most `cells_max` cells. Beyond that the cells
  // that were measured longest ago fall out.
  explicit SweepMetrics(const std::string& tool_version,
                        std::size_t cells_max = std::numeric_limits<std::size_t>::max());
  ~SweepMetrics() = default;
  SweepMetrics(const SweepMetrics&) = delete;
  SweepMetrics& operator=(const SweepMetrics&) = delete;

  // Begins a sweep on the device: sets its progress to 0, and lets set_cell count each cell again.
  void begin_sweep(const std::string& device);
  void set_device(const std::string& device, const model::DeviceFacts& facts);
  void set_progress(const std::string& device, const model::Progress& progress);
  // Replaces all series of a finished cell. Counts the cell once per sweep, however often it is set.
  void set_cell(const std::string& device, const model::CellResult& cell);
  // Shows a cell of a sweep of an earlier process, which has already counted the cell.
  void show_cell(const std::string& device, const model::CellResult& cell);
  std::size_t cells_max() const noexcept { return cells_max_; }
  // Returns how many cells have fallen out since the last call.
  std::int64_t take_dropped();
  // Replaces the device's comparison by that of the sweep that ended. Only cells that are shown get series.
  void set_comparison(const std::string& device, const model::Comparison& comparison);
  void set_notes(const std::string& device, const std::vector<model::Note>& notes);
  // `unix_seconds` is the time of a successful end; absent if the sweep failed.
  void end_sweep(const std::string& device, std::optional<double> unix_seconds);

  // All metrics in the text format. Returns the same object until something changes.
  std::shared_ptr<const std::string> text() const;

 private:
  class Change {
   public:
    explicit Change(SweepMetrics& metrics) : lock_(metrics.mutex_) { metrics.text_.reset(); }

   private:
    std::scoped_lock<std::mutex> lock_;
  };

  // Replaces the device's series in a family of facts. The caller must hold the lock.
  void set_info(prometheus::Family<prometheus::Gauge>& family, const std::string& device,
                const std::vector<prometheus::Labels>& all);

  mutable std::mutex mutex_;
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Gauge>& devices_ = gauge(registry_, "graphbench_device_info");
  prometheus::Family<prometheus::Gauge>& libraries_ = gauge(registry_, "graphbench_library_info");
  prometheus::Family<prometheus::Gauge>& notes_ = gauge(registry_, "graphbench_note_info");
  prometheus::Family<prometheus::Gauge>& progress_ = gauge(registry_, "graphbench_sweep_progress_ratio");
  prometheus::Family<prometheus::Gauge>& running_ = gauge(registry_, "graphbench_sweep_running");
  prometheus::Family<prometheus::Gauge>& last_success_ =
      gauge(registry_, "graphbench_last_success_timestamp_seconds");
  prometheus::Family<prometheus::Counter>& cells_total_ = counter(registry_, "graphbench_cells_total");
  prometheus::Counter& steps_ = counter(registry_, "graphbench_steps_total").Add({});
  prometheus::Family<prometheus::Counter>& skips_ = counter(registry_, "graphbench_capture_skips_total");
  std::map<std::pair<const void*, std::string>, std::set<prometheus::Gauge*>> info_series_;  // family, device
  struct Shown {
    reporters::FamilyLines lines;
    std::uint64_t turn = 0;
  };
  std::map<CellKey, Shown> cells_;
  std::map<std::uint64_t, CellKey> by_turn_;  // the cell that was set longest ago is the first
  std::uint64_t turns_ = 0;
  const std::size_t cells_max_;
  std::int64_t dropped_ = 0;
  prometheus::Counter& dropped_total_ = counter(registry_, "graphbench_cells_dropped_total").Add({});
  std::map<std::string, reporters::FamilyLines> comparisons_;  // by device
  std::set<CellKey> counted_;  // counted in the device's running or last sweep
  mutable std::shared_ptr<const std::string> text_;
  mutable std::size_t text_bytes_ = 0;
};

}  // namespace graphbench::sweep
