// Calls the functions of a plugin's op. Makes the gb_op_call records, and keeps them until the process ends.
#include "graphs/abi/foreign_op.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "graphs/abi/guard.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"

namespace graphbench::abi {
namespace {

[[noreturn]] void distrust(const ir::Op& op, const std::string& what) {
  throw Error(ErrorCode::plugin_failed, op.name + " (" + op.kind + "): " + what);
}

ir::InferredOutput checked(const ir::Op& op, const gb_inferred& described) {
  if (described.dtype < GB_FP32 || described.dtype > GB_I32) {
    distrust(op, "infer() gave dtype " + std::to_string(described.dtype) + ", which is not a gb_dtype");
  }
  if (described.rank < 1 || described.rank > GB_MAX_RANK) {
    distrust(op, "infer() gave rank " + std::to_string(described.rank) + ", but a rank is 1.." +
                     std::to_string(GB_MAX_RANK));
  }
  ir::InferredOutput output{static_cast<ir::DType>(described.dtype), {}};
  for (std::int32_t i = 0; i < described.rank; ++i) {
    output.shape.push_back({described.dims[i].per_batch, described.dims[i].fixed});
  }
  static_cast<void>(resolve(output.dtype, output.shape, 1).bytes());
  return output;
}

std::vector<ir::InferredOutput> infer(const gb_op& definition, const ir::Op& op, const ir::Inputs& inputs) {
  std::vector<std::vector<gb_dim>> dims;
  std::vector<gb_symbolic> symbolic;
  for (const ir::Value* value : inputs) {
    std::vector<gb_dim>& own = dims.emplace_back();
    for (const ir::Dim& dim : value->shape) own.push_back({dim.per_batch, dim.fixed});
    // When `dims` grows, its vectors are moved and keep their memory, so `own.data()` stays valid.
    symbolic.push_back(
        {static_cast<std::int32_t>(value->dtype), static_cast<std::int32_t>(own.size()), own.data()});
  }
  const std::vector<gb_attr> attributes = attribute_records(op.attributes);
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
    throw Error(
        ErrorCode::invalid_argument,
        op.name + " (" + op.kind + "): " + (error[0] != '\0' ? error.data() : "the plugin refused the op"));
  }
  if (count > GB_MAX_OUTPUTS)
    distrust(op, "infer() gave " + std::to_string(count) + " outputs, but an op may have at most " +
                     std::to_string(GB_MAX_OUTPUTS));
  std::vector<ir::InferredOutput> inferred;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    inferred.push_back(checked(op, outputs.at(i)));
  }
  return inferred;
}

class ForeignCallRecord {
 public:
  explicit ForeignCallRecord(const ir::OpCall& call)
      : name_(call.op->name),
        attributes_(call.op->attributes),
        descriptions_(call.operands),
        attrs_(attribute_records(attributes_)) {
    for (const ir::TensorDesc& operand : descriptions_) {
      tensors_.push_back({static_cast<std::int32_t>(operand.dtype),
                          static_cast<std::int32_t>(operand.dims.size()), operand.dims.data()});
    }
    call_.struct_size = sizeof(gb_op_call);
    call_.input_count = static_cast<std::int32_t>(call.input_count);
    call_.output_count = static_cast<std::int32_t>(call.operands.size() - call.input_count);
    call_.attr_count = static_cast<std::int32_t>(attrs_.size());
    call_.name = name_.c_str();
    call_.batch = call.batch;
    call_.operands = tensors_.data();
    call_.attrs = attrs_.data();
  }

  gb_op_call& call() noexcept { return call_; }

 private:
  std::string name_;
  ir::Attributes attributes_;
  std::vector<ir::TensorDesc> descriptions_;
  std::vector<gb_attr> attrs_;
  std::vector<gb_tensor> tensors_;
  gb_op_call call_{};
};

gb_op_call* keep_record(const ir::OpCall& call, gb_place place) {
  // The records are never destroyed, because plugins may read them while static objects are destroyed.
  static auto* const records = new std::vector<std::unique_ptr<ForeignCallRecord>>;
  static auto* const mutex = new std::mutex;
  auto record = std::make_unique<ForeignCallRecord>(call);
  record->call().place = place;
  const std::scoped_lock lock(*mutex);
  return &records->emplace_back(std::move(record))->call();
}

std::string name_of(const ir::OpCall& call) {
  return call.op->name + " (" + call.op->kind + ")";
}

}  // namespace

std::vector<gb_attr> attribute_records(const ir::Attributes& attributes) {
  std::vector<gb_attr> records;
  for (const auto& [name, value] : attributes) {
    gb_attr& record = records.emplace_back();
    record.name = name.c_str();
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      record.type = GB_ATTR_INT;
      record.integer = *integer;
    } else if (const auto* real = std::get_if<double>(&value)) {
      record.type = GB_ATTR_REAL;
      record.real = *real;
    } else {
      record.type = GB_ATTR_TEXT;
      record.text = std::get<std::string>(value).c_str();
    }
  }
  return records;
}

ir::OpDefinition foreign_definition(const gb_op& op) {
  const auto own = std::make_shared<const gb_op>(op);
  ir::OpDefinition definition;
  definition.kind = own->kind;
  definition.traits.host_op = (own->flags & GB_OP_HOST) != 0;
  definition.traits.capturable = (own->flags & GB_OP_NOT_CAPTURABLE) == 0;
  if (own->gradient != nullptr) definition.gradient = own->gradient;
  for (std::uint32_t i = 0; i < 64; ++i) {
    if ((own->mutated_inputs >> i & 1u) != 0) definition.mutated_inputs.push_back(i);
    if ((own->gradient_inputs >> i & 1u) != 0) definition.gradient_inputs.push_back(i);
  }
  definition.infer = [own](const ir::Op& described, const ir::Inputs& inputs) {
    return infer(*own, described, inputs);
  };
  definition.foreign = own.get();
  return definition;
}

ForeignKernel::ForeignKernel(const ir::OpCall& call, gb_place place)
    : op_(*call.op->definition->foreign), record_(keep_record(call, place)), run_("run " + name_of(call)) {
  const std::string where = "prepare " + name_of(call);
  if (op_.prepare != nullptr) {
    std::array<char, 256> error{};
    const int status = guarded(where, [&] {
      return op_.prepare(record_, &record_->prepared, error.data(), error.size(), op_.user);
    });
    error.back() = '\0';
    if (status != 0) {
      throw Error(ErrorCode::plugin_failed,
                  where + ": the op's prepare() returned " + std::to_string(status) + ": " +
                      (error[0] != '\0' ? printable(error.data()) : "the plugin gave no reason"));
    }
  }
  if (op_.workspace_bytes == nullptr) return;
  try {
    const std::int64_t bytes = guarded(where, [&] { return op_.workspace_bytes(record_, op_.user); });
    if (bytes < 0) {
      throw Error(ErrorCode::plugin_failed,
                  where + ": the op's workspace_bytes() returned " + std::to_string(bytes));
    }
    record_->workspace_bytes = static_cast<std::uint64_t>(bytes);
  } catch (...) {
    release();
    throw;
  }
}

ForeignKernel::~ForeignKernel() {
  release();
}

void ForeignKernel::release() noexcept {
  if (op_.release == nullptr) return;
  try {
    op_.release(record_, op_.user);
  } catch (...) {
    complain("release %s: the op threw an exception, which the ABI forbids", record_->name);
  }
}

void ForeignKernel::run_host(void* const* operands) const {
  const int status = guarded(run_, [&] { return op_.run_host(record_, operands, op_.user); });
  if (status != 0) {
    throw Error(ErrorCode::plugin_failed, run_ + ": the op's run_host returned " + std::to_string(status));
  }
}

}  // namespace graphbench::abi
