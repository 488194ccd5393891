// Rows of the table of metrics: a worker's startup, and the use of the cache and of a package.
#include "harness/model/metric_rows.hpp"

namespace graphbench::model {
namespace {

MetricRow with_column(MetricRow row, std::string_view column, std::string_view help, bool spare = false) {
  row.spare_column = spare;
  row.column = column;
  row.column_help = help;
  return row;
}

}  // namespace

// Times of the worker's first placement. From prepare_seconds on, each is the sum over its cells' setups.
std::vector<MetricRow> startup_metric_rows() {
  using enum MetricKind;
  return {
      row("process_seconds", time, "seconds", value<&Startup::process_seconds>(),
          "graphbench_startup_process_seconds", "Time of starting the worker's process."),
      row("plugin_seconds", time, "seconds", value<&Startup::plugin_seconds>(),
          "graphbench_startup_plugin_seconds",
          "Time of loading the worker's plugins and building its program."),
      row("module_seconds", time, "seconds", value<&Startup::module_seconds>(),
          "graphbench_startup_module_seconds", "Time of loading the module of the worker's backend."),
      row("context_seconds", time, "seconds", value<&Startup::context_seconds>(),
          "graphbench_startup_context_seconds", "Time of opening the worker's device and stream."),
      row("weights_seconds", time, "seconds", value<&Startup::weights_seconds>(),
          "graphbench_startup_weights_seconds",
          "Time of allocating and filling the memory that the batches share: weights, inputs and state."),
  };
}

std::vector<MetricRow> cache_metric_rows() {
  using enum MetricKind;
  return {
      row("hits", count, "entries", value<&CacheUse::hits>(), "graphbench_cache_hits",
          "Entries of the cache that preparing the cell found."),
      with_column(row("misses", count, "entries", value<&CacheUse::misses>(), "graphbench_cache_misses",
                      "Entries of the cache that preparing the cell made, because none was found."),
                  "made", "entries of the cache that preparing it made", true),
      row("refused", count, "files", value<&CacheUse::refused>(), "graphbench_cache_refused",
          "Files of the cache that could not be used, because they are damaged, newer, or for another "
          "key."),
      row("bytes", bytes, "bytes", value<&CacheUse::bytes>(), "graphbench_cache_bytes",
          "Bytes of the entries that preparing the cell found and made."),
      row("seconds_saved", time, "seconds", value<&CacheUse::seconds_saved>(),
          "graphbench_cache_seconds_saved",
          "Time that making the found entries took, less the time waited for other processes."),
  };
}

std::vector<MetricRow> package_metric_rows() {
  using enum MetricKind;
  return {
      row("bytes", bytes, "bytes", value<&PackageUse::bytes>(), "graphbench_package_bytes",
          "Bytes of the package that the program came from."),
      row("weights_bytes", bytes, "bytes", value<&PackageUse::weights_bytes>(),
          "graphbench_package_weights_bytes", "Bytes of the file with the package's weights."),
      with_column(row("load_seconds", time, "seconds", value<&PackageUse::load_seconds>(),
                      "graphbench_package_load_seconds",
                      "Time of reading and checking the package, and of reading, verifying and uploading its "
                      "weights."),
                  "load", "reading and uploading its package"),
      row("verify_seconds", time, "seconds", value<&PackageUse::verify_seconds>(),
          "graphbench_package_verify_seconds",
          "The part of the load time in which the weights' digests are verified."),
      with_column(
          row("first_step_seconds", time, "seconds", value<&PackageUse::first_step_seconds>(),
              "graphbench_package_first_step_seconds",
              "Time from a ready context to the end of the first step, as if this batch were the only one."),
          "first", "from a ready context to its first step's end"),
      {.name = "staging_bytes",
       .kind = bytes,
       .unit = "bytes",
       .help = "The most host memory that weights took on their way to the device.",
       .value = value<&PackageUse::staging_bytes>(),
       .addition = true,
       .on_request = true},
  };
}

}  // namespace graphbench::model
