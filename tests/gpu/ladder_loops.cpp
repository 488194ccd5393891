// graphbench_ladder_loops: compares hits, steps served by one of 67 captured sizes that share a pool, with
// bare CUDA calls, in alternating blocks of copies, pad fills and replay. Exit codes: 0 all within limits, 1
// some are not or something failed, 2 bad usage, 77 no GPU.
#include <cstdio>

#include "bare_step.hpp"
#include "gpu_program.hpp"
#include "graphs/abi/plugin.hpp"
#include "graphs/cuda/handle.hpp"
#include "harness/ladder/caller.hpp"
#include "harness/ladder/traffic.hpp"
#include "harness/measure/worker/task_rig.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::gpu {
namespace {

constexpr double limit = 1.10;
constexpr std::int64_t rows_max = 512;
constexpr std::size_t blocks = 40;

// A value in the caller's memory (`own`), and its address in the graph's memory (`graphs`).
struct BareEdge {
  Buffer own;
  std::byte* graphs = nullptr;
  std::size_t row_bytes = 0;
  int pad_byte = 0;
};

class BareHits {
 public:
  BareHits(Device& device, const ir::Program& program, execution::ProgramBuffers& buffers,
           cudaStream_t stream)
      : device_(device), program_(program), stream_(stream) {
    for (const ir::ValueId id : program.values_of(ir::ValueKind::input)) {
      if (!ir::depends_on_batch(program.value(id))) continue;
      inputs_.push_back(edge(id, static_cast<std::byte*>(buffers.address(id))));
    }
  }
  // One captured size. The graph's addresses of `outputs` are those of its executor.
  struct Size {
    std::vector<BareCall> step;
    std::vector<BareEdge> outputs;
  };
  Size size_of(const execution::Executor& executor) const {
    Size size{.step = bare_calls(executor), .outputs = {}};
    for (const ir::ValueId id : program_.values_of(ir::ValueKind::output))
      size.outputs.push_back(edge(id, static_cast<std::byte*>(const_cast<void*>(executor.output(id)))));
    return size;
  }
  // Serves the caller's `rows`, and fills the `padding` rows after them, which are dirty.
  void hit(Size& size, std::int64_t rows, std::int64_t padding) {
    for (const BareEdge& each : inputs_) {
      const std::size_t bytes = static_cast<std::size_t>(rows) * each.row_bytes;
      copy(each.graphs, each.own.data(), bytes);
      if (padding > 0)
        cuda::check(cudaMemsetAsync(each.graphs + bytes, each.pad_byte,
                                    static_cast<std::size_t>(padding) * each.row_bytes, stream_),
                    "fill padding");
    }
    submit_bare(size.step, stream_);
    for (const BareEdge& each : size.outputs)
      copy(each.own.data(), each.graphs, static_cast<std::size_t>(rows) * each.row_bytes);
  }

 private:
  BareEdge edge(ir::ValueId id, std::byte* graphs) const {
    const ir::Value& value = program_.value(id);
    // One byte value can fill 0 and -1, which has all bits set; base workloads pad with no other value.
    if (value.pad != 0 && (value.pad != -1 || value.dtype != ir::DType::i32))
      throw Error(ErrorCode::unsupported, "fill padding of " + value.name + ": its pad value is not a byte");
    return {Buffer(device_, program_.describe(id, rows_max).bytes()), graphs, ladder::row_bytes(program_, id),
            value.pad == 0 ? 0 : 0xFF};
  }
  void copy(void* to, const void* from, std::size_t bytes) {
    cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_), "copy");
  }

  Device& device_;
  const ir::Program& program_;
  cudaStream_t stream_;
  std::vector<BareEdge> inputs_;
};

model::WorkerTask task_of(const std::string& workload) {
  model::WorkerTask task;
  task.workload = workload;
  task.preset = "base";
  task.dtype = "bf16";
  task.pass = "forward";
  task.mode = "whole";
  task.warmup = 1;
  return task;
}

// Two hits together: one fills its size, so that all rows are dirty; a smaller one after it must pad rows.
bool compare_workload(Device& device, const abi::WorkloadRegistry& registry, const std::string& workload) {
  const model::WorkerTask task = task_of(workload);
  const ir::Program program = measure::build_program(registry, task);
  measure::TaskRig rig(task, device, program);
  rig.allocate(rows_max);
  std::map<std::int64_t, std::unique_ptr<execution::Executor>> executors;
  for (const std::int64_t size : measure::largest_first(ladder::parse_sizes("sizes", "1,2,4,8:512:+8"))) {
    model::Setup setup{};
    executors[size] = rig.prepare(size, setup, [](std::string_view) {});
    executors[size]->submit();
  }
  Stream& stream = rig.stream();
  ladder::Caller caller(rig.context(rig.graph_pool()), rows_max, 1);
  BareHits bare(device, program, rig.buffers(), static_cast<cudaStream_t>(stream.native_handle()));
  bool all_within = true;
  for (const auto& [rows, size] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {1, 1}, {3, 4}, {5, 8}, {60, 64}, {250, 256}, {505, 512}}) {
    execution::Executor& executor = *executors.at(size);
    BareHits::Size bare_size = bare.size_of(executor);
    const auto ours = [&, size = size](std::int64_t own) {
      caller.copy_in({0, own}, size);
      executor.submit();
      caller.copy_out(executor, {0, own});
    };
    const auto hits = [&, rows = rows, size = size] {
      ours(size);
      ours(rows);
    };
    const auto bare_hits = [&, rows = rows, size = size] {
      bare.hit(bare_size, size, 0);
      bare.hit(bare_size, rows, size - rows);
    };
    const Paired paired = take_pairs(stream, blocks, limit, {{hits, bare_hits}});
    std::printf("%-10s %5lld in %5lld", workload.c_str(), static_cast<long long>(rows),
                static_cast<long long>(size));
    all_within = print_within(paired, limit) && all_within;
  }
  return all_within;
}

// Alternates two sizes that share an exec, so that each step must update the exec to its own graph.
bool compare_shared(Device& device, const abi::WorkloadRegistry& registry) {
  const model::WorkerTask task = task_of("mlp");
  const ir::Program program = measure::build_program(registry, task);
  measure::TaskRig rig(task, device, program);
  rig.allocate(2);
  std::vector<std::unique_ptr<execution::Executor>> sizes;
  for (const std::int64_t size : {2, 1}) {
    model::Setup setup{};
    sizes.push_back(rig.prepare(size, setup, [](std::string_view) {}));
  }
  if (!sizes[1]->share_execs(*sizes[0]))
    throw Error(ErrorCode::unsupported, "share an exec: sizes 1 and 2 of mlp have other topologies");
  const cudaGraphExec_t exec = bare_calls(*sizes[0]).front().graph;
  const auto stream = static_cast<cudaStream_t>(rig.stream().native_handle());
  const auto ours = [&] {
    for (const auto& size : sizes) {
      static_cast<void>(size->take_execs());
      size->submit();
    }
  };
  const auto bare = [&] {
    for (const auto& size : sizes) {
      const auto graph = static_cast<cudaGraph_t>(size->graphs().front()->native_handle());
      cudaGraphExecUpdateResultInfo info{};
      cuda::check(cudaGraphExecUpdate(exec, graph, &info), "update");
      cuda::check(cudaGraphLaunch(exec, stream), "launch");
    }
  };
  ours();
  const Paired paired = take_pairs(rig.stream(), blocks, limit, {{ours, bare}});
  std::printf("%-10s %5d in %5d", "mlp-shared", 1, 2);
  return print_within(paired, limit);
}

int run(Device& device, std::vector<std::string> workloads) {
  abi::WorkloadRegistry registry;
  workloads::add_builtin(registry);
  if (workloads.empty()) {
    for (const abi::WorkloadInfo& workload : registry.workloads()) workloads.push_back(workload.name);
  }
  std::printf(
      "submit of a full hit and a padded one, of 67 sizes\n"
      "%-10s %5s    %5s %10s %10s %7s %7s %7s %6s\n",
      "workload", "rows", "size", "ours_us", "bare_us", "ratio", "low", "high", "limit");
  bool all_within = compare_shared(device, registry);
  for (const std::string& workload : workloads)
    all_within = compare_workload(device, registry, workload) && all_within;
  return all_within ? 0 : 1;
}

}  // namespace
}  // namespace graphbench::gpu

int main(int argc, char** argv) {
  return graphbench::gpu::run_on_gpu("graphbench_ladder_loops", [&](graphbench::Device& device) {
    return graphbench::gpu::run(device, {argv + 1, argv + argc});
  });
}
