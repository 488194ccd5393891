// Ops that a plugin brings: its launch function is called with the native stream.
#include <string>

#include "graphs/cuda/ops/op_builders.hpp"

namespace graphbench::cuda {
namespace {

// A gb_op_call and everything it points to, at addresses that do not move.
struct CallRecord {
  std::string name;
  std::vector<std::vector<std::int64_t>> dims;
  std::vector<gb_tensor> tensors;
  ir::Attributes attributes;
  std::vector<gb_attr> attrs;
  gb_op_call call{};
};

gb_attr to_abi(const std::string& name, const ir::Attribute& value) {
  gb_attr attr{};
  attr.name = name.c_str();
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    attr.type = GB_ATTR_INT;
    attr.integer = *integer;
  } else if (const auto* real = std::get_if<double>(&value)) {
    attr.type = GB_ATTR_REAL;
    attr.real = *real;
  } else {
    attr.type = GB_ATTR_TEXT;
    attr.text = std::get<std::string>(value).c_str();
  }
  return attr;
}

std::shared_ptr<CallRecord> make_record(const ir::OpCall& call) {
  auto record = std::make_shared<CallRecord>();
  record->name = call.op->name;
  record->attributes = call.op->attributes;
  for (const ir::TensorDesc& operand : call.operands) record->dims.push_back(operand.dims);
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    record->tensors.push_back(gb_tensor{static_cast<std::int32_t>(call.operands[i].dtype),
                                        static_cast<std::int32_t>(record->dims[i].size()),
                                        record->dims[i].data()});
  }
  for (const auto& [name, value] : record->attributes) record->attrs.push_back(to_abi(name, value));
  gb_op_call& out = record->call;
  out.struct_size = sizeof(gb_op_call);
  out.input_count = static_cast<std::int32_t>(call.input_count);
  out.output_count = static_cast<std::int32_t>(call.operands.size() - call.input_count);
  out.attr_count = static_cast<std::int32_t>(record->attrs.size());
  out.name = record->name.c_str();
  out.batch = call.batch;
  out.operands = record->tensors.data();
  out.attrs = record->attrs.data();
  return record;
}

}  // namespace

PreparedOp prepare_foreign(OpContext&, const ir::OpCall& call) {
  const gb_op* op = call.op->definition->foreign;
  if (op->launch_cuda == nullptr) refuse(call, "its plugin has no launch_cuda");
  if (call.operands.size() > ForeignCall::operands_max) {
    refuse(call, std::to_string(call.operands.size()) + " operands, more than " +
                     std::to_string(ForeignCall::operands_max));
  }
  auto record = make_record(call);
  ForeignCall foreign;
  foreign.op = op;
  foreign.call = &record->call;
  foreign.operand_count = call.operands.size();
  PreparedOp prepared;
  prepared.calls.emplace_back(foreign);
  prepared.resources.push_back(std::move(record));
  return prepared;
}

}  // namespace graphbench::cuda
