// Building records of plugins' calls, and keeping them.
#include "graphs/device/foreign_call.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace graphbench {
namespace {

gb_attr attribute_record(const std::string& name, const ir::Attribute& value) {
  gb_attr record{};
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
  return record;
}

class ForeignCallRecord {
 public:
  explicit ForeignCallRecord(const ir::OpCall& call)
      : name_(call.op->name), attributes_(call.op->attributes), descriptions_(call.operands) {
    for (const auto& [name, value] : attributes_) attrs_.push_back(attribute_record(name, value));
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

  const gb_op_call& call() const noexcept { return call_; }

 private:
  std::string name_;
  ir::Attributes attributes_;
  std::vector<ir::TensorDesc> descriptions_;
  std::vector<gb_attr> attrs_;
  std::vector<gb_tensor> tensors_;
  gb_op_call call_{};
};

}  // namespace

const gb_op_call& make_foreign_call(const ir::OpCall& call) {
  // Never destroyed: plugins may still look at records when static objects go.
  static auto* const records = new std::vector<std::unique_ptr<const ForeignCallRecord>>;
  static auto* const mutex = new std::mutex;
  auto record = std::make_unique<const ForeignCallRecord>(call);
  const std::scoped_lock lock(*mutex);
  return records->emplace_back(std::move(record))->call();
}

}  // namespace graphbench
