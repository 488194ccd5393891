// graphbench_bare_loops: what our layer costs over bare loops of the same calls, and whether device
// memory comes back. Exit codes: 0 all within limits, 1 some are not or something failed, 2 bad usage,
// 77 no GPU.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "cycles.hpp"
#include "graphs/cuda/cuda_device.hpp"
#include "submit_times.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::gpu {
namespace {

constexpr std::size_t leak_limit_bytes = std::size_t{2} << 20;

struct Options {
  bool cycles = false;
  std::size_t samples = 2000;
  std::string_view workload;  // empty: all
};

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--cycles") {
      options.cycles = true;
    } else if (argument == "--samples" && i + 1 < argc) {
      const char* text = argv[++i];
      const char* end = text + std::strlen(text);
      const auto [stop, error] = std::from_chars(text, end, options.samples);
      if (error != std::errc() || stop != end || options.samples == 0) {
        std::fprintf(stderr, "graphbench_bare_loops: --samples '%s' is not a positive number\n", text);
        return false;
      }
    } else if (argument == "--workload" && i + 1 < argc) {
      options.workload = argv[++i];
    } else {
      std::fprintf(stderr,
                   "graphbench_bare_loops: unknown option '%s'; use --cycles, --samples N, --workload NAME\n",
                   argv[i]);
      return false;
    }
  }
  return true;
}

bool compare_all(Device& device, const abi::WorkloadRegistry& registry, const Options& options) {
  using execution::ExecutionMode;
  bool all_within = true;
  std::printf("%-10s %5s %-9s %10s %10s %7s %6s\n", "workload", "batch", "mode", "ours_us", "bare_us",
              "ratio", "limit");
  for (const abi::WorkloadInfo& workload : registry.workloads()) {
    if (!options.workload.empty() && workload.name != options.workload) continue;
    for (const std::int64_t batch : {std::int64_t{1}, std::int64_t{256}}) {
      GpuProgram program(device, registry, workload.name, batch);
      for (const ExecutionMode mode :
           {ExecutionMode::whole, ExecutionMode::piecewise, ExecutionMode::eager}) {
        const Comparison result = compare_submit(program, mode, options.samples);
        std::printf("%-10s %5lld %-9s %10.2f %10.2f %7.3f %6.2f%s\n", workload.name.c_str(),
                    static_cast<long long>(batch), std::string(execution::name_of(mode)).c_str(),
                    result.ours_us, result.bare_us, result.ratio, result.limit(),
                    result.within() ? "" : "  OVER");
        std::fflush(stdout);
        all_within = all_within && result.within();
      }
    }
  }
  return all_within;
}

bool cycle_all(Device& device, const abi::WorkloadRegistry& registry, const Options& options) {
  bool all_returned = true;
  for (const abi::WorkloadInfo& workload : registry.workloads()) {
    if (!options.workload.empty() && workload.name != options.workload) continue;
    GpuProgram program(device, registry, workload.name, 1);
    const CycleReport report = run_cycles(device, program, 1000, 10);
    const bool returned = report.lost() <= leak_limit_bytes;
    std::printf(
        "%-10s %zu capture/destroy cycles, %zu replays: free before %zu, after %zu, lost %zu bytes%s\n",
        workload.name.c_str(), report.cycles, report.replays, report.free_before, report.free_after,
        report.lost(), returned ? "" : "  OVER 2 MiB");
    std::fflush(stdout);
    all_returned = all_returned && returned;
  }
  return all_returned;
}

int run(const Options& options) {
  cuda::CudaBackend backend;
  const DeviceStatus status = backend.devices().front();
  if (!status.available) {
    std::fprintf(stderr, "graphbench_bare_loops: skipped, needs a GPU: %s; %s\n", status.detail.c_str(),
                 status.advice.c_str());
    return 77;
  }
  abi::WorkloadRegistry registry;
  workloads::add_builtin(registry);
  const std::unique_ptr<Device> device = backend.open(0);
  const bool good =
      options.cycles ? cycle_all(*device, registry, options) : compare_all(*device, registry, options);
  return good ? 0 : 1;
}

}  // namespace
}  // namespace graphbench::gpu

int main(int argc, char** argv) {
  graphbench::gpu::Options options;
  if (!graphbench::gpu::parse(argc, argv, options)) return 2;
  try {
    return graphbench::gpu::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graphbench_bare_loops: %s\n", error.what());
    return 1;
  }
}
