// Makes the steps of both chains: the same CUDA calls, bare and through our classes.
#include "caller_chain.hpp"

#include <string>

#include "graphs/cuda/prepared_kernel.hpp"

namespace graphbench::gpu {

using execution::IoForm;

ir::Program chain_of(std::size_t nodes, std::int64_t elements) {
  static const ir::OpCatalog catalog;
  ir::ProgramBuilder builder("chain", catalog);
  const auto relu = [&](ir::ValueId of, std::size_t i) {
    return builder.op("relu", "relu" + std::to_string(i), {of}, {})[0];
  };
  const auto input = [&](const char* name, ir::Dim extent) {
    return builder.value(ir::ValueKind::input, name, ir::DType::fp32, {extent}, {});
  };
  ir::ValueId callers = relu(input("x", ir::of_batch(elements)), 0);
  if (nodes > 2) {
    ir::ValueId small = input("small", ir::fixed_dim(1024));
    for (std::size_t i = 1; i + 1 < nodes; ++i) small = relu(small, i);
    builder.mark_output(small);
  }
  if (nodes > 1) callers = relu(callers, nodes - 1);
  builder.mark_output(callers);
  return builder.finish();
}

BareChain::BareChain(Device& device, const ir::Program& program, std::size_t nodes, cudaStream_t stream)
    : count_(nodes),
      bytes_(program.describe(0, 1).bytes()),
      stream_(stream),
      at_ends_(device.make_kernel(program.call(0, 1))),
      between_(nodes > 2 ? device.make_kernel(program.call(1, 1)) : nullptr),
      small_(device, 1024 * sizeof(float)) {
  for (Buffer* buffer : {&own_[0], &own_[1], &in_[0], &in_[1], &out_[0], &out_[1]})
    *buffer = Buffer(device, bytes_);
  for (std::size_t set = 0; set < sets; ++set) {
    calls_[set] = calls(in_[set].data(), out_[set].data());
    record(calls_[set]);
    cuda::check(cudaGraphInstantiate(exec_of_set_[set].put(), graph_.get(), 0), "instantiate");
  }
  calls_own_ = calls(own_[0].data(), own_[1].data());
  record(calls_own_);
  nodes_.resize(nodes);
  cuda::check(cudaGraphGetNodes(graph_.get(), nodes_.data(), &nodes), "list nodes");
  cuda::check(cudaGraphInstantiate(exec_.put(), graph_.get(), 0), "instantiate");
}

void BareChain::step(IoForm form) {
  const std::size_t set = next_;
  next_ = (next_ + 1) % sets;
  switch (form) {
    case IoForm::fixed:
      return launch(exec_.get());
    case IoForm::copy_in:
    case IoForm::copy_in_out:
    case IoForm::copy_out:
      if (form != IoForm::copy_out) copy(own_[0].data(), in_[set].data());
      launch(exec_.get());
      if (form != IoForm::copy_in) copy(out_[set].data(), own_[1].data());
      return;
    case IoForm::copy_if_moved: {
      const Buffer& in = turn_++ % 10 == 0 ? in_[set] : own_[0];
      if (in.data() != own_[0].data()) copy(own_[0].data(), in.data());
      return launch(exec_.get());
    }
    case IoForm::set_params:
      set_node(nodes_.front(), calls_[set].front());
      if (count_ > 1) set_node(nodes_.back(), calls_[set].back());
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
    case IoForm::exec_per_set:
      return launch(exec_of_set_[set].get());
  }
}

std::vector<BareCall> BareChain::calls(void* in, void* out) const {
  std::vector<cuda::NativeCall> natives;
  for (std::size_t i = 0; i < count_; ++i) {
    const bool first = i == 0;
    const bool last = i + 1 == count_;
    void* const small = small_.data();
    void* operands[] = {first  ? in
                        : last ? own_[0].data()
                               : small,
                        last    ? out
                        : first ? own_[0].data()
                                : small};
    const Kernel& kernel = first || last ? *at_ends_ : *between_;
    static_cast<const cuda::PreparedKernel&>(kernel).native_calls(operands, natives);
  }
  return bare_calls(natives);
}

void BareChain::record(std::vector<BareCall>& calls) {
  cuda::check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
  submit_bare(calls, stream_);
  cuda::check(cudaStreamEndCapture(stream_, graph_.put()), "end capture");
}

void BareChain::set_node(cudaGraphNode_t node, BareCall& call) {
  auto& kernel = std::get<cuda::KernelCall>(call.native);
  void* arguments[] = {kernel.argument()};
  cudaKernelNodeParams parameters{
      const_cast<void*>(kernel.function), kernel.grid, kernel.block, kernel.shared_bytes, arguments, nullptr};
  cuda::check(cudaGraphExecKernelNodeSetParams(exec_.get(), node, &parameters), "set a node");
}

void BareChain::copy(void* to, const void* from) {
  cuda::check(cudaMemcpyAsync(to, from, bytes_, cudaMemcpyDeviceToDevice, stream_), "copy");
}

void BareChain::launch(cudaGraphExec_t exec) {
  cuda::check(cudaGraphLaunch(exec, stream_), "launch");
}

OurChain::OurChain(Device& device, Stream& stream, const ir::Program& program, IoForm form)
    : rig(device, stream, program, 1, test::Rig::Layout::together) {
  execution::ExecutionContext context = rig.context();
  if (form != IoForm::fixed)
    context.caller =
        &caller.emplace(device, rig.program(), rig.buffers(), execution::CallerSettings{.form = form});
  executor = test::Rig::prepare(execution::ExecutionMode::whole, context, 1);
}

}  // namespace graphbench::gpu
