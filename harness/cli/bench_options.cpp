// The table of what is refused, each with where to find it.
#include "harness/cli/bench_options.hpp"

#include <algorithm>

#include "harness/model/input_error.hpp"

namespace graphbench::cli {
namespace {

struct Refused {
  const char* option;
  const char* instead;
};

constexpr const char* publishes_nothing = "bench publishes nothing: run a sweep for metrics";
constexpr Refused refused[] = {
    {"json", "bench writes no result document: give --benchmark_out=FILE"},
    {"samples", "bench keeps no samples: run a sweep for them"},
    {"launches", "bench runs in one process: give --benchmark_repetitions=N, or run a sweep for launches"},
    {"time-per-cell", "Google Benchmark decides how long a cell runs: give --benchmark_min_time=SECONDS"},
    {"samples-max", "Google Benchmark decides how long a cell runs: give --benchmark_min_time=SECONDS"},
    {"profile", "bench records no kernels: run a sweep with --profile"},
    {"trace", "bench records no kernels: run a sweep with --trace FILE"},
    {"prometheus-listen", publishes_nothing},
    {"prometheus-allow-remote", publishes_nothing},
    {"tls-certificate", publishes_nothing},
    {"tls-key", publishes_nothing},
    {"tls-client-ca", publishes_nothing},
    {"linger", publishes_nothing},
    {"prometheus-textfile", publishes_nothing},
    {"prometheus-push", publishes_nothing},
    {"push-grouping", publishes_nothing},
    {"push-delete", publishes_nothing},
    {"against", publishes_nothing},
    {"history", publishes_nothing},
    {"baseline", "bench publishes nothing: compare what --benchmark_out=FILE wrote with graphbench compare"},
    {"quiet", "what bench prints is Google Benchmark's: give --benchmark_out=FILE and redirect stdout"},
    {"dump-program", "it belongs to --sweep"},
};

}  // namespace

bool is_bench_option(const std::string& name) {
  return std::ranges::none_of(refused, [&](const Refused& each) { return each.option == name; });
}

void refuse_sweep_only(const config::RawOptions& options) {
  for (const Refused& each : refused) {
    const auto found = options.find(each.option);
    if (found != options.end()) throw InputError(found->second.front().where, each.instead);
  }
}

}  // namespace graphbench::cli
