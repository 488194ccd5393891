// Finds the prepare function of a kind of op, and implements what several prepare functions share.
#include "graphs/cuda/ops/op_builders.hpp"

#include <map>
#include <string_view>

#include "graphs/cuda/stream.hpp"
#include "graphs/ir/kind_names.hpp"

namespace graphbench::cuda {

// Each `prepare_<kind>` is defined in a file of this folder.
#define GRAPHBENCH_DECLARE(kind) PreparedOp prepare_##kind(OpContext& context, const ir::OpCall& call);
GRAPHBENCH_KINDS(GRAPHBENCH_DECLARE)
GRAPHBENCH_DECLARE(foreign)

namespace {

using Builder = PreparedOp (*)(OpContext&, const ir::OpCall&);

Builder builder_of(std::string_view kind) {
#define GRAPHBENCH_ROW(kind) {#kind, prepare_##kind},
  static const std::map<std::string_view, Builder> builders = {GRAPHBENCH_KINDS(GRAPHBENCH_ROW)};
  const auto found = builders.find(kind);
  return found == builders.end() ? nullptr : found->second;
}

// Loads code that the first launch would load within the timed capture of a step (5 to 10 ms on an H200,
// unless candidates were timed). The captured library calls do not run, so their addresses do not matter.
void load_code(OpContext& context, const PreparedOp& prepared, const ir::OpCall& call) {
  if (context.load_at_first_use) return;
  std::vector<NativeCall> calls;
  for (const NativeCall& native : prepared.calls) {
    if (const auto* kernel = std::get_if<KernelCall>(&native))
      resolve_function(kernel->function, call.op->name.c_str());
    if (std::holds_alternative<MatmulCall>(native) || std::holds_alternative<CudnnCall>(native))
      calls.push_back(native);
  }
  if (calls.empty()) return;
  constexpr std::size_t apart = std::size_t{64} << 10;
  GRAPHBENCH_ASSERT(call.operands.size() * apart <= context.workspace_bytes);
  std::vector<void*> operands;
  for (std::size_t i = 0; i < call.operands.size(); ++i)
    operands.push_back(static_cast<std::byte*>(context.workspace) + i * apart);
  const char* object = call.op->name.c_str();
  CudaStream stream;
  stream.begin_capture();
  try {
    for (NativeCall& native : calls) {
      bind_operands(native, operands.data(), object);
      make_call(native, stream.handle(), object);
    }
  } catch (const Error& error) {
    stream.abandon_capture();
    if (error.code() == ErrorCode::device_lost) throw;
    // If a call cannot be captured, the capture of a step reports it later.
  }
  stream.abandon_capture();
  forget_cudnn_stream(context, object);
}

}  // namespace

void refuse(const ir::OpCall& call, const std::string& why) {
  throw Error(ErrorCode::unsupported,
              "prepare op " + call.op->name + " (" + call.op->kind + ") on cuda: " + why);
}

PreparedOp prepare_op(OpContext& context, const ir::OpCall& call) {
  const ir::OpDefinition* definition = call.op->definition;
  if (definition != nullptr && definition->traits.marker) return {};
  if (definition != nullptr && definition->foreign != nullptr) return prepare_foreign(context, call);
  const Builder builder = builder_of(call.op->kind);
  if (builder == nullptr) refuse(call, "this device has no implementation of the kind");
  PreparedOp prepared = builder(context, call);
  for (NativeCall& native : prepared.calls) {
    if (auto* kernel = std::get_if<KernelCall>(&native)) kernel->programmatic = context.programmatic;
  }
  load_code(context, prepared, call);
  return prepared;
}

Activation activation_of(const ir::Op& op) {
  const std::string& text = ir::text_attribute(op, "activation");
  if (text == "none") return Activation::none;
  return text == "gelu_tanh" ? Activation::gelu_tanh : Activation::relu;
}

RowsColumns rows_columns(const ir::TensorDesc& tensor) {
  RowsColumns shape;
  shape.columns = tensor.dims.back();
  shape.rows = tensor.elements() / shape.columns;
  return shape;
}

}  // namespace graphbench::cuda
