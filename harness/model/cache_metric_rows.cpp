// Rows of the table of metrics: what preparing had of the cache, and of a package.
#include "harness/model/metric_rows.hpp"

namespace graphbench::model {
namespace {

MetricRow row(std::string_view name, MetricKind kind, std::string_view unit, MetricValue value,
              MetricPlace family, std::string_view help) {
  return {.name = name,
          .kind = kind,
          .unit = unit,
          .help = help,
          .value = value,
          .on_request = true,
          .family = family};
}

}  // namespace

std::vector<MetricRow> cache_metric_rows() {
  using enum MetricKind;
  return {
      row("hits", count, "entries", &CacheUse::hits, {50, "graphbench_cache_hits"},
          "Entries of the cache that preparing the cell found."),
      row("misses", count, "entries", &CacheUse::misses, {51, "graphbench_cache_misses"},
          "Entries of the cache that preparing the cell made, because none was found."),
      row("refused", count, "files", &CacheUse::refused, {52, "graphbench_cache_refused"},
          "Files of the cache that could not be used: damaged, newer, about something else."),
      row("bytes", bytes, "bytes", &CacheUse::bytes, {53, "graphbench_cache_bytes"},
          "Bytes of the entries that preparing the cell found and made."),
      row("seconds_saved", time, "seconds", &CacheUse::seconds_saved, {54, "graphbench_cache_seconds_saved"},
          "What making the entries found took, less the time waited for another process's."),
  };
}

std::vector<MetricRow> package_metric_rows() {
  using enum MetricKind;
  return {
      row("bytes", bytes, "bytes", &PackageUse::bytes, {55, "graphbench_package_bytes"},
          "Bytes of the package that the program came from."),
      row("weights_bytes", bytes, "bytes", &PackageUse::weights_bytes,
          {56, "graphbench_package_weights_bytes"}, "Bytes of the file with the package's weights."),
      row("load_seconds", time, "seconds", &PackageUse::load_seconds, {57, "graphbench_package_load_seconds"},
          "Time of reading and checking the package, and of reading, verifying and uploading its weights."),
      row("verify_seconds", time, "seconds", &PackageUse::verify_seconds,
          {58, "graphbench_package_verify_seconds"}, "Of it, the time of the weights' digests."),
      row("first_step_seconds", time, "seconds", &PackageUse::first_step_seconds,
          {59, "graphbench_package_first_step_seconds"},
          "Time from a ready context to the end of the first step, were this batch the only one."),
      {.name = "staging_bytes",
       .kind = bytes,
       .unit = "bytes",
       .help = "The most host memory that weights took on their way to the device.",
       .value = &PackageUse::staging_bytes,
       .addition = true,
       .on_request = true},
  };
}

}  // namespace graphbench::model
