// graphbench_bare_loops: compares our executors' submit with bare loops of the same CUDA calls, and checks
// that captures release their device memory. Exit codes: 0 all within limits, 1 some are not or something
// failed, 2 bad usage, 77 no GPU.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "bare_step.hpp"
#include "gpu_program.hpp"
#include "graphs/cuda/device_kernels.hpp"
#include "graphs/cuda/graph.hpp"
#include "graphs/cuda/status.hpp"
#include "graphs/cuda/stream.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::gpu {
namespace {

constexpr std::size_t leak_limit_bytes = std::size_t{2} << 20;

struct Options {
  bool cycles = false;
  bool branches = false;
  std::size_t samples = 2000;
  std::string_view workload;  // empty: all
};

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--cycles") {
      options.cycles = true;
    } else if (argument == "--branches") {
      options.branches = true;
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
                   "graphbench_bare_loops: unknown option '%s'; use --branches, --cycles, --samples N, "
                   "--workload NAME\n",
                   argv[i]);
      return false;
    }
  }
  return true;
}

// The largest allowed ratio of our submit time to the bare loop's.
double limit_of(execution::ExecutionMode mode) {
  if (mode == execution::ExecutionMode::eager) return 1.15;
  return mode == execution::ExecutionMode::whole ? 1.05 : 1.10;
}

// At least the six without which a ratio has no interval.
std::size_t blocks_of(std::size_t samples) {
  return std::max<std::size_t>(6, (samples + block_samples - 1) / block_samples);
}

Paired compare_submit(GpuProgram& program, execution::ExecutionMode mode, std::size_t samples) {
  const std::unique_ptr<execution::Executor> executor = program.ready_executor(mode);
  std::vector<BareCall> calls = bare_calls(*executor);
  Stream& stream = program.stream();
  const auto native_stream = static_cast<cudaStream_t>(stream.native_handle());
  return take_pairs(stream, blocks_of(samples), limit_of(mode),
                    {{[&] { executor->submit(); }, [&] { submit_bare(calls, native_stream); }}});
}

bool compare_all(Device& device, const abi::WorkloadRegistry& registry, const Options& options) {
  using execution::ExecutionMode;
  bool all_within = true;
  std::printf("%-10s %5s %-9s %10s %10s %7s %7s %7s %6s\n", "workload", "batch", "mode", "ours_us", "bare_us",
              "ratio", "low", "high", "limit");
  for (const abi::WorkloadInfo& workload : registry.workloads()) {
    if (!options.workload.empty() && workload.name != options.workload) continue;
    for (const std::int64_t batch : {std::int64_t{1}, std::int64_t{256}}) {
      GpuProgram program(device, registry, workload.name, batch);
      for (const ExecutionMode mode :
           {ExecutionMode::whole, ExecutionMode::piecewise, ExecutionMode::eager}) {
        const Paired result = compare_submit(program, mode, options.samples);
        std::printf("%-10s %5lld %-9s", workload.name.c_str(), static_cast<long long>(batch),
                    std::string(execution::name_of(mode)).c_str());
        all_within = print_within(result, limit_of(mode)) && all_within;
      }
    }
  }
  return all_within;
}

void run_cycle(GpuProgram& program, std::size_t replays) {
  const auto executor = program.captured(execution::ExecutionMode::whole);
  for (std::size_t i = 0; i < replays; ++i) executor->submit();
  program.stream().synchronize();
}

bool cycle_all(Device& device, const abi::WorkloadRegistry& registry, const Options& options) {
  bool all_returned = true;
  for (const abi::WorkloadInfo& workload : registry.workloads()) {
    if (!options.workload.empty() && workload.name != options.workload) continue;
    GpuProgram program(device, registry, workload.name, 1);
    constexpr std::size_t cycles = 1000, replays = 10;
    run_cycle(program, replays);  // the driver loads here what it loads only once
    const std::size_t before = device.memory().free_bytes;
    for (std::size_t i = 0; i < cycles; ++i) run_cycle(program, replays);
    device.synchronize();
    const std::size_t after = device.memory().free_bytes;
    const std::size_t lost = before > after ? before - after : 0;
    const bool returned = lost <= leak_limit_bytes;
    std::printf(
        "%-10s %zu capture/destroy cycles, %zu replays: free before %zu, after %zu, lost %zu bytes%s\n",
        workload.name.c_str(), cycles, cycles * replays, before, after, lost, returned ? "" : "  OVER 2 MiB");
    std::fflush(stdout);
    all_returned = all_returned && returned;
  }
  return all_returned;
}

// Records a branch with CUDA calls alone. Each arm is one empty kernel; only the first of two arms has none.
cuda::GraphExecHandle bare_branch(Kernel& kernel, const std::int32_t* selector, unsigned arms) {
  const bool is_if = arms == 2;
  cuda::CudaStream stream;
  cuda::GraphHandle graph;
  cudaGraph_t captured = nullptr;
  const auto capture = [&](cudaGraph_t into, const auto& enqueue) {
    cuda::check(cudaStreamBeginCaptureToGraph(stream.handle(), into, nullptr, nullptr, 0,
                                              cudaStreamCaptureModeThreadLocal),
                "begin capture");
    enqueue();
    cuda::check(cudaStreamEndCapture(stream.handle(), &captured), "end capture");
  };
  cuda::check(cudaGraphCreate(graph.put(), 0), "create graph");
  cudaGraphNodeParams node{};
  node.type = cudaGraphNodeTypeConditional;
  node.conditional.type = is_if ? cudaGraphCondTypeIf : cudaGraphCondTypeSwitch;
  node.conditional.size = is_if ? 1 : arms;
  cuda::check(
      cudaGraphConditionalHandleCreate(&node.conditional.handle, graph.get(), 0, cudaGraphCondAssignDefault),
      "create handle");
  capture(graph.get(),
          [&] { cuda::launch_selector(stream.handle(), node.conditional.handle, selector, is_if); });
  const cudaGraphNode_t setter = cuda::nodes_of(graph.get()).front();
  cudaGraphNode_t added = nullptr;
  cuda::check(cudaGraphAddNode(&added, graph.get(), &setter, nullptr, 1, &node), "add node");
  for (unsigned i = 0; i < node.conditional.size; ++i)
    capture(node.conditional.phGraph_out[i], [&] { kernel.launch(stream, nullptr); });
  cuda::GraphExecHandle exec;
  cuda::check(cudaGraphInstantiate(exec.put(), graph.get(), 0), "instantiate graph");
  return exec;
}

// Compares our replay of a branch with the bare one: the time until the host sees its end.
bool compare_branches(Device& device, const abi::WorkloadRegistry&, const Options& options) {
  struct Case {
    const char* name;
    unsigned arms;
    std::int32_t selector;
  };
  constexpr double limit = 1.10;
  bool all_within = true;
  const std::unique_ptr<Stream> stream = device.make_stream();
  const std::unique_ptr<Kernel> kernel = device.make_empty_kernel();
  std::printf("%-14s %10s %10s %7s %7s %7s %6s\n", "latency of", "ours_us", "bare_us", "ratio", "low", "high",
              "limit");
  for (const Case& each : {Case{"IF taken", 2, 1}, {"IF not taken", 2, 0}, {"SWITCH of 8", 8, 7}}) {
    const Buffer selector(device, sizeof(each.selector));
    stream->copy_to_device(selector.data(), &each.selector, sizeof(each.selector));
    stream->synchronize();
    std::vector<Stream::Arm> arms(each.arms, [&](Stream& on) { kernel->launch(on, nullptr); });
    if (each.arms == 2) arms.front() = {};
    stream->begin_capture();
    stream->record_branch(selector.data(), arms);
    const std::unique_ptr<GraphExec> exec = stream->end_capture()->instantiate();
    const PreparedReplay ours = exec->prepare_replay(*stream);
    const cuda::GraphExecHandle bare =
        bare_branch(*kernel, static_cast<const std::int32_t*>(selector.data()), each.arms);
    const auto native = static_cast<cudaStream_t>(stream->native_handle());
    const Paired paired = take_pairs(*stream, blocks_of(options.samples), limit,
                                     {{[&] {
                                         ours.enqueue(ours.exec, ours.stream);
                                         stream->synchronize();
                                       },
                                       [&] {
                                         (void)cudaGraphLaunch(bare.get(), native);
                                         stream->synchronize();
                                       }}});
    std::printf("%-14s", each.name);
    all_within = print_within(paired, limit) && all_within;
  }
  return all_within;
}

int run(Device& device, const Options& options) {
  abi::WorkloadRegistry registry;
  workloads::add_builtin(registry);
  const auto chosen = options.cycles ? cycle_all : options.branches ? compare_branches : compare_all;
  return chosen(device, registry, options) ? 0 : 1;
}

}  // namespace
}  // namespace graphbench::gpu

int main(int argc, char** argv) {
  graphbench::gpu::Options options;
  if (!graphbench::gpu::parse(argc, argv, options)) return 2;
  return graphbench::gpu::run_on_gpu("graphbench_bare_loops", [&](graphbench::Device& device) {
    return graphbench::gpu::run(device, options);
  });
}
