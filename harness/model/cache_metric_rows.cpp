// Rows of the table of metrics: how a worker came to be ready, and what preparing had of the cache and of a
// package.
#include "harness/model/metric_rows.hpp"

namespace graphbench::model {
namespace {

MetricRow with_column(MetricRow row, MetricPlace column, std::string_view help) {
  row.column = column;
  row.column_help = help;
  return row;
}

}  // namespace

// Of the worker's first placement. The stages behind these are the sums of its cells' setups.
std::vector<MetricRow> startup_metric_rows() {
  using enum MetricKind;
  return {
      row("process_seconds", time, "seconds", &Startup::process_seconds,
          {60, "graphbench_startup_process_seconds"}, "Time of starting the worker's process."),
      row("plugin_seconds", time, "seconds", &Startup::plugin_seconds,
          {61, "graphbench_startup_plugin_seconds"},
          "Time of loading the worker's plugins and building its program."),
      row("module_seconds", time, "seconds", &Startup::module_seconds,
          {62, "graphbench_startup_module_seconds"}, "Time of loading the module of the worker's backend."),
      row("context_seconds", time, "seconds", &Startup::context_seconds,
          {63, "graphbench_startup_context_seconds"}, "Time of opening the worker's device and stream."),
      row("weights_seconds", time, "seconds", &Startup::weights_seconds,
          {64, "graphbench_startup_weights_seconds"},
          "Time of allocating and filling what the worker's batches share: weights, inputs and state."),
  };
}

std::vector<MetricRow> cache_metric_rows() {
  using enum MetricKind;
  return {
      row("hits", count, "entries", &CacheUse::hits, {50, "graphbench_cache_hits"},
          "Entries of the cache that preparing the cell found."),
      with_column(row("misses", count, "entries", &CacheUse::misses, {51, "graphbench_cache_misses"},
                      "Entries of the cache that preparing the cell made, because none was found."),
                  {8, "made"}, "entries of the cache that preparing it made"),
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
      with_column(row("load_seconds", time, "seconds", &PackageUse::load_seconds,
                      {57, "graphbench_package_load_seconds"},
                      "Time of reading and checking the package, and of reading, verifying and uploading its "
                      "weights."),
                  {9, "load"}, "reading and uploading its package"),
      row("verify_seconds", time, "seconds", &PackageUse::verify_seconds,
          {58, "graphbench_package_verify_seconds"}, "Of it, the time of the weights' digests."),
      with_column(
          row("first_step_seconds", time, "seconds", &PackageUse::first_step_seconds,
              {59, "graphbench_package_first_step_seconds"},
              "Time from a ready context to the end of the first step, were this batch the only one."),
          {10, "first"}, "from a ready context to its first step's end"),
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
