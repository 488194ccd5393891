// Rows of the table of metrics: the use of the cache (cache) and of a package (package), a worker's start-up
// (startup), the forward program of --evaluate, and the walk over --shape-trace (shape_walk).
#include <iterator>

#include "harness/model/metric_rows.hpp"

namespace graphbench::model {
namespace {

constexpr MetricRow with_column(MetricRow row, std::string_view column, std::string_view help,
                                bool spare = false) {
  row.spare_column = spare;
  row.column = column;
  row.column_help = help;
  return row;
}

constexpr MetricRow of_processes[] = {
    row("hits", "entries", value<&CacheUse::hits>(), "graphbench_cache_hits",
        "Number of cache entries found while the cell was prepared."),
    with_column(row("misses", "entries", value<&CacheUse::misses>(), "graphbench_cache_misses",
                    "Number of cache entries made while the cell was prepared, because none was found."),
                "made", "cache entries made to prepare the cell", true),
    row("refused", "files", value<&CacheUse::refused>(), "graphbench_cache_refused",
        "Number of cache files that could not be used, because they are damaged, newer, or for another "
        "key."),
    row("bytes", "bytes", value<&CacheUse::bytes>(), "graphbench_cache_bytes",
        "Bytes of the cache entries found or made while the cell was prepared."),
    row("seconds_saved", "seconds", value<&CacheUse::seconds_saved>(), "graphbench_cache_seconds_saved",
        "Time saved by the found entries: the time to make them, less the time spent waiting for other "
        "processes."),

    row("bytes", "bytes", value<&PackageUse::bytes>(), "graphbench_package_bytes",
        "Size of the program's package in bytes."),
    row("weights_bytes", "bytes", value<&PackageUse::weights_bytes>(), "graphbench_package_weights_bytes",
        "Size of the package's weights file in bytes."),
    with_column(
        row("load_seconds", "seconds", value<&PackageUse::load_seconds>(), "graphbench_package_load_seconds",
            "Time to read and check the package, and to read, verify and upload its "
            "weights."),
        "load", "reading and uploading the package"),
    row("verify_seconds", "seconds", value<&PackageUse::verify_seconds>(),
        "graphbench_package_verify_seconds",
        "Part of the load time spent on verifying the weights' digests."),
    with_column(
        row("first_step_seconds", "seconds", value<&PackageUse::first_step_seconds>(),
            "graphbench_package_first_step_seconds",
            "Time from a ready context to the end of the first step, as if no other batch were prepared."),
        "first", "from a ready context to the end of the first step"),
    {.name = "staging_bytes",
     .kind = MetricKind::bytes,
     .unit = "bytes",
     .help = "Peak host memory used to upload weights to the device.",
     .value = value<&PackageUse::staging_bytes>(),
     .added_later = true,
     .on_request = true},

    // Startup's other members have no rows, because they are sums over the setups of the worker's cells.
    row("process_seconds", "seconds", value<&Startup::process_seconds>(),
        "graphbench_startup_process_seconds", "Time to start the worker's process."),
    row("plugin_seconds", "seconds", value<&Startup::plugin_seconds>(), "graphbench_startup_plugin_seconds",
        "Time to load the worker's plugins and to build its program."),
    row("module_seconds", "seconds", value<&Startup::module_seconds>(), "graphbench_startup_module_seconds",
        "Time to load the module of the worker's backend."),
    row("context_seconds", "seconds", value<&Startup::context_seconds>(),
        "graphbench_startup_context_seconds", "Time to open the worker's device and stream."),
    row("weights_seconds", "seconds", value<&Startup::weights_seconds>(),
        "graphbench_startup_weights_seconds",
        "Time to allocate and fill the memory that the batches share: weights, inputs and state."),

    row("latency_seconds", "seconds", value<&Evaluation::latency_seconds>(),
        "graphbench_evaluation_latency_seconds",
        "Median latency of the forward program with the trained parameters."),

    row("programs", "programs", value<&ShapeWalk::programs>(), "graphbench_shape_walk_programs",
        "Number of programs that the walk over a shape trace keeps at its end."),
    row("recordings", "recordings", value<&ShapeWalk::recordings>(), "graphbench_shape_walk_recordings",
        "Number of recordings that the walk made."),
    row("generations", "generations", value<&ShapeWalk::generations>(), "graphbench_shape_walk_generations",
        "Generations of the walk's memory pool: the number of full releases of its memory, plus one."),
    row("pool_bytes", "bytes", value<&ShapeWalk::pool_bytes>(), "graphbench_shape_walk_pool_bytes",
        "Bytes of the walk's memory pool at its end."),
    row("hit_seconds", "seconds", value<&ShapeWalk::hit_seconds>(), "graphbench_shape_walk_hit_seconds",
        "Median time to look up an existing recording and to submit the recording."),
    row("replay_seconds", "seconds", value<&ShapeWalk::replay_seconds>(),
        "graphbench_shape_walk_replay_seconds",
        "Median time to submit an existing recording, without the lookup."),
};

}  // namespace

std::vector<MetricRow> process_metric_rows() {
  return {std::begin(of_processes), std::end(of_processes)};
}

}  // namespace graphbench::model
