// Calls a plugin's infer() and believes nothing it says before checking it.
#include "graphs/ir/foreign_infer.hpp"

#include <array>

#include "graphs/ir/error.hpp"

namespace graphbench::ir {
namespace {

[[noreturn]] void distrust(const Op& op, const std::string& what) {
  throw Error(ErrorCode::plugin_failed, op.name + " (" + op.kind + "): " + what);
}

InferredOutput checked(const Op& op, const gb_inferred& described) {
  if (described.dtype < GB_FP32 || described.dtype > GB_I32) {
    distrust(op, "infer() gave dtype " + std::to_string(described.dtype));
  }
  if (described.rank < 1 || described.rank > GB_MAX_RANK) {
    distrust(op, "infer() gave rank " + std::to_string(described.rank) + ", not 1.." +
                     std::to_string(GB_MAX_RANK));
  }
  InferredOutput output{static_cast<DType>(described.dtype), {}};
  for (std::int32_t i = 0; i < described.rank; ++i) {
    output.shape.push_back({described.dims[i].per_batch, described.dims[i].fixed});
  }
  static_cast<void>(resolve(output.dtype, output.shape, 1).bytes());
  return output;
}

}  // namespace

std::vector<gb_attr> abi_attributes(const Op& op) {
  std::vector<gb_attr> attributes;
  for (const auto& [name, value] : op.attributes) {
    gb_attr attribute{name.c_str(), GB_ATTR_INT, 0, 0, 0.0, nullptr};
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      attribute.integer = *integer;
    } else if (const auto* real = std::get_if<double>(&value)) {
      attribute.type = GB_ATTR_REAL;
      attribute.real = *real;
    } else {
      attribute.type = GB_ATTR_TEXT;
      attribute.text = std::get<std::string>(value).c_str();
    }
    attributes.push_back(attribute);
  }
  return attributes;
}

std::vector<InferredOutput> infer_foreign(const Op& op, const gb_op& definition,
                                          const std::vector<const Value*>& inputs) {
  std::vector<std::vector<gb_dim>> dims;
  std::vector<gb_symbolic> symbolic;
  for (const Value* value : inputs) {
    std::vector<gb_dim>& own = dims.emplace_back();
    for (const Dim& dim : value->shape) own.push_back({dim.per_batch, dim.fixed});
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    symbolic.push_back({static_cast<std::int32_t>(inputs[i]->dtype),
                        static_cast<std::int32_t>(dims[i].size()), dims[i].data()});
  }
  const std::vector<gb_attr> attributes = abi_attributes(op);
  std::array<gb_inferred, GB_MAX_OUTPUTS> outputs{};
  std::array<char, 256> error{};
  std::int32_t count = 0;
  try {
    count = definition.infer(symbolic.data(), static_cast<std::int32_t>(symbolic.size()), attributes.data(),
                             static_cast<std::int32_t>(attributes.size()), outputs.data(), error.data(),
                             error.size(), definition.user);
  } catch (...) {
    distrust(op, "infer() threw an exception, which the ABI forbids");
  }
  error.back() = '\0';
  if (count < 0) {
    throw Error(ErrorCode::invalid_argument, op.name + " (" + op.kind + "): " +
                                                 (error[0] != '\0' ? error.data() : "refused by the plugin"));
  }
  if (count > GB_MAX_OUTPUTS) distrust(op, "infer() gave " + std::to_string(count) + " outputs");
  std::vector<InferredOutput> inferred;
  for (std::int32_t i = 0; i < count; ++i)
    inferred.push_back(checked(op, outputs.at(static_cast<std::size_t>(i))));
  return inferred;
}

}  // namespace graphbench::ir
