// graphbench_caller_loops: what meeting a caller's memory costs, form by form, over graphs of 1 to 4,096
// small kernels of ours: our executor's submit beside bare loops of the same CUDA calls, taken alternately.
// Exit codes: 0 all within limits, 1 some are not or something failed, 2 bad usage, 77 no GPU.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <functional>

#include "bare_step.hpp"
#include "graphs/cuda/cuda_backend.hpp"
#include "graphs/cuda/handle.hpp"
#include "graphs/cuda/prepared_kernel.hpp"
#include "submit_times.hpp"

namespace graphbench::gpu {
namespace {

using execution::CallerMemory;
using execution::IoForm;

struct Form {
  IoForm form;
  const char* name;
  double limit;  // of ours over bare; 0: none was set
};
constexpr Form forms[] = {{IoForm::copy_in_out, "copy_in_out", 1.05},
                          {IoForm::set_params, "set_params", 1.10},
                          {IoForm::update, "update", 1.10},
                          {IoForm::recapture, "recapture", 0},
                          {IoForm::exec_per_set, "exec_per_set", 0}};
constexpr std::size_t sets = 2;

// relu of relu of x: every op is one node, and nothing but the first and the last holds the caller's.
ir::Program chain_of(std::size_t nodes, std::int64_t elements) {
  static const ir::OpCatalog catalog;
  ir::ProgramBuilder builder("chain", catalog);
  ir::ValueId x = builder.value(ir::ValueKind::input, "x", ir::DType::fp32, {ir::of_batch(elements)}, {});
  for (std::size_t i = 0; i < nodes; ++i) x = builder.op("relu", "relu" + std::to_string(i), {x}, {})[0];
  builder.mark_output(x);
  return builder.finish();
}

// The same chain without any class of ours: for each set its calls, an exec, and what a step does to it.
class BareChain {
 public:
  BareChain(Device& device, const ir::Program& program, std::size_t nodes, std::size_t bytes,
            cudaStream_t stream)
      : bytes_(bytes), stream_(stream), kernel_(device.make_kernel(program.call(0, 1))) {
    for (Buffer* buffer : {&own_[0], &own_[1], &in_[0], &in_[1], &out_[0], &out_[1]})
      *buffer = Buffer(device, bytes);
    for (std::size_t set = 0; set < sets; ++set) {
      calls_[set] = calls(in_[set].data(), out_[set].data(), nodes);
      record(calls_[set]);
      cuda::check(cudaGraphInstantiate(exec_of_set_[set].put(), graph_.get(), 0), "instantiate");
    }
    calls_own_ = calls(own_[0].data(), own_[1].data(), nodes);
    record(calls_own_);
    nodes_.resize(nodes);
    cuda::check(cudaGraphGetNodes(graph_.get(), nodes_.data(), &nodes), "list nodes");
    cuda::check(cudaGraphInstantiate(exec_.put(), graph_.get(), 0), "instantiate");
  }

  void step(IoForm form) {
    const std::size_t set = next_;
    next_ = 1 - next_;
    switch (form) {
      case IoForm::copy_in_out:
        copy(own_[0].data(), in_[set].data());
        launch(exec_.get());
        return copy(out_[set].data(), own_[1].data());
      case IoForm::set_params:
        set_node(nodes_.front(), calls_[set].front());
        if (nodes_.size() > 1) set_node(nodes_.back(), calls_[set].back());
        return launch(exec_.get());
      case IoForm::update: {
        record(calls_[set]);
        cudaGraphExecUpdateResultInfo info{};
        cuda::check(cudaGraphExecUpdate(exec_.get(), graph_.get(), &info), "update");
        return launch(exec_.get());
      }
      case IoForm::recapture:
        record(calls_[set]);
        cuda::check(cudaGraphInstantiate(exec_.put(), graph_.get(), 0), "instantiate");
        return launch(exec_.get());
      default:
        return launch(exec_of_set_[set].get());
    }
  }

 private:
  std::vector<BareCall> calls(void* in, void* out, std::size_t nodes) const {
    std::vector<cuda::NativeCall> natives;
    for (std::size_t i = 0; i < nodes; ++i) {
      void* operands[] = {i == 0 ? in : own_[0].data(), i + 1 == nodes ? out : own_[0].data()};
      static_cast<cuda::PreparedKernel&>(*kernel_).native_calls(operands, natives);
    }
    return bare_calls(natives);
  }
  void record(std::vector<BareCall>& calls) {
    cuda::check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
    submit_bare(calls, stream_);
    cuda::check(cudaStreamEndCapture(stream_, graph_.put()), "end capture");
  }
  void set_node(cudaGraphNode_t node, BareCall& call) {
    auto& kernel = std::get<cuda::KernelCall>(call.native);
    void* arguments[] = {kernel.parameters.data()};
    cudaKernelNodeParams parameters{const_cast<void*>(kernel.function),
                                    kernel.grid,
                                    kernel.block,
                                    kernel.shared_bytes,
                                    arguments,
                                    nullptr};
    cuda::check(cudaGraphExecKernelNodeSetParams(exec_.get(), node, &parameters), "set a node");
  }
  void copy(void* to, const void* from) {
    cuda::check(cudaMemcpyAsync(to, from, bytes_, cudaMemcpyDeviceToDevice, stream_), "copy");
  }
  void launch(cudaGraphExec_t exec) { cuda::check(cudaGraphLaunch(exec, stream_), "launch"); }

  std::size_t bytes_;
  cudaStream_t stream_;
  std::unique_ptr<Kernel> kernel_;
  Buffer own_[2], in_[sets], out_[sets];
  std::vector<BareCall> calls_[sets], calls_own_;
  cuda::GraphHandle graph_;
  cuda::GraphExecHandle exec_, exec_of_set_[sets];
  std::vector<cudaGraphNode_t> nodes_;
  std::size_t next_ = 0;
};

// Ours, ready to step, with all that it works on.
struct OurChain {
  OurChain(Device& device, Stream& stream, const ir::Program& program, IoForm form)
      : buffers(device, program, 1),
        eager_pool(device),
        graph_pool(device),
        caller(device, program, buffers, {.form = form}) {
    execution::ExecutionContext context{.device = device,
                                        .stream = stream,
                                        .program = program,
                                        .buffers = buffers,
                                        .eager_pool = eager_pool,
                                        .graph_pool = &graph_pool,
                                        .split_kinds = {}};
    context.caller = &caller;
    executor = execution::make_executor(execution::ExecutionMode::whole, context, 1);
    executor->capture();
    executor->instantiate();
    executor->upload();
  }
  execution::ProgramBuffers buffers;
  pool::MemoryPool eager_pool;
  pool::MemoryPool graph_pool;
  CallerMemory caller;
  std::unique_ptr<execution::Executor> executor;
};

bool compare_all(Device& device, std::int64_t elements, std::size_t blocks) {
  const std::unique_ptr<Stream> stream = device.make_stream();
  const auto native = static_cast<cudaStream_t>(stream->native_handle());
  const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(float);
  bool all_within = true;
  std::printf("submit with %zu bytes in and as many out\n%-13s %6s %10s %10s %7s %6s\n", bytes, "io", "nodes",
              "ours_us", "bare_us", "ratio", "limit");
  for (const std::size_t nodes : {1, 4, 16, 64, 256, 1024, 4096}) {
    const ir::Program program = chain_of(nodes, elements);
    for (const Form& form : forms) {
      OurChain ours(device, *stream, program, form.form);
      BareChain bare(device, program, nodes, bytes, native);
      const Paired paired = take_pairs(
          *stream, blocks, [&] { ours.executor->submit(); }, [&] { bare.step(form.form); });
      const bool within = form.limit == 0 || paired.ratio <= form.limit;
      std::printf("%-13s %6zu %10.2f %10.2f %7.3f %6.2f%s\n", form.name, nodes, paired.ours_us,
                  paired.bare_us, paired.ratio, form.limit, within ? "" : "  OVER");
      std::fflush(stdout);
      all_within = all_within && within;
    }
  }
  return all_within;
}

int run(std::int64_t elements) {
  cuda::CudaBackend backend;
  const DeviceStatus status = backend.devices().front();
  if (!status.available) {
    std::fprintf(stderr, "graphbench_caller_loops: skipped, needs a GPU: %s; %s\n", status.detail.c_str(),
                 status.advice.c_str());
    return 77;
  }
  const std::unique_ptr<Device> device = backend.open(0);
  return compare_all(*device, elements, 20) ? 0 : 1;
}

}  // namespace
}  // namespace graphbench::gpu

int main(int argc, char** argv) {
  std::int64_t elements = 1024;
  if (argc == 3 && std::strcmp(argv[1], "--elements") == 0) {
    const char* end = argv[2] + std::strlen(argv[2]);
    const auto [stop, error] = std::from_chars(argv[2], end, elements);
    if (error != std::errc() || stop != end) elements = 0;
  } else if (argc != 1) {
    elements = 0;
  }
  if (elements <= 0) {
    std::fprintf(stderr, "graphbench_caller_loops: give nothing, or --elements N, fp32 numbers a value\n");
    return 2;
  }
  try {
    return graphbench::gpu::run(elements);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graphbench_caller_loops: %s\n", error.what());
    return 1;
  }
}
