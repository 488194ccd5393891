// What Prometheus is told: results of cells, progress, what runs where. docs/prometheus.md lists names,
// labels and types.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/model/comparison.hpp"
#include "harness/model/progress.hpp"
#include "harness/model/result.hpp"

namespace graphbench::reporters {

// The media type of `text()`: the Prometheus text format, which every scraper takes.
inline constexpr const char* metrics_content_type = "text/plain; version=0.0.4; charset=utf-8";

// Thread-safe. `device` is the name a sweep runs on: "cuda:0", "host".
class SweepMetrics {
 public:
  explicit SweepMetrics(const std::string& tool_version);
  ~SweepMetrics();
  SweepMetrics(const SweepMetrics&) = delete;
  SweepMetrics& operator=(const SweepMetrics&) = delete;

  // A sweep begins on the device: its progress is 0, and cells are counted from 0.
  void begin_sweep(const std::string& device);
  void set_device(const std::string& device, const model::DeviceFacts& facts);
  void set_progress(const std::string& device, const model::Progress& progress);
  // A cell that is done. Its series are what this result has, no more: a number that an earlier result
  // had and this one lacks is gone. Counted once a sweep, however often it is told.
  void set_cell(const std::string& device, const model::CellResult& cell);
  // A cell of an earlier process's sweep: its series alone, for it was counted then.
  void show_cell(const std::string& device, const model::CellResult& cell);
  // The device's sweep was complete: the series of cells that it did not have are gone.
  void drop_vanished(const std::string& device);
  // The sweep that ended on the device beside the baseline, in the place of what an earlier one was found to
  // be. Of its cells, those that were set have series.
  void set_comparison(const std::string& device, const model::Comparison& comparison);
  // `unix_seconds`: when it ended well; absent where it did not.
  void end_sweep(const std::string& device, std::optional<double> unix_seconds);

  // Everything in the text format; the same object until something changes.
  std::shared_ptr<const std::string> text() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace graphbench::reporters
