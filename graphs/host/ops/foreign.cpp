// A plugin's op: its own host function behind a call record that is built once.
#include <exception>
#include <string>
#include <vector>

#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/make_op.hpp"

namespace graphbench::host {
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

// Keeps copies of all that the record points to: the ABI promises plugins that it stays valid, at one
// address, until the sweep ends, and programs may go earlier.
class ForeignOp final : public DirectOp {
 public:
  explicit ForeignOp(const ir::OpCall& call)
      : DirectOp(call.operands.size()),
        foreign_(*call.op->definition->foreign),
        kind_(call.op->kind),
        name_(call.op->name),
        attributes_(call.op->attributes),
        descriptions_(call.operands) {
    for (const auto& [name, value] : attributes_) attribute_records_.push_back(attribute_record(name, value));
    for (const ir::TensorDesc& operand : descriptions_) {
      tensors_.push_back({static_cast<std::int32_t>(operand.dtype),
                          static_cast<std::int32_t>(operand.dims.size()), operand.dims.data()});
    }
    record_.struct_size = sizeof(gb_op_call);
    record_.input_count = static_cast<std::int32_t>(call.input_count);
    record_.output_count = static_cast<std::int32_t>(call.operands.size() - call.input_count);
    record_.attr_count = static_cast<std::int32_t>(attribute_records_.size());
    record_.name = name_.c_str();
    record_.batch = call.batch;
    record_.operands = tensors_.data();
    record_.attrs = attribute_records_.data();
  }

 protected:
  void compute(void* const* operands) override {
    int status = 0;
    try {
      status = foreign_.run_host(&record_, operands, foreign_.user);
    } catch (const std::exception& error) {
      fail(std::string("it threw a C++ exception across the plugin ABI: ") + error.what());
    } catch (...) {
      fail("it threw across the plugin ABI");
    }
    if (status != 0) fail("its run_host returned " + std::to_string(status));
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(ErrorCode::plugin_failed, "run " + name_ + " (" + kind_ + "): " + reason);
  }

  const gb_op& foreign_;
  std::string kind_;
  std::string name_;
  ir::Attributes attributes_;
  std::vector<ir::TensorDesc> descriptions_;
  std::vector<gb_attr> attribute_records_;
  std::vector<gb_tensor> tensors_;
  gb_op_call record_{};
};

}  // namespace

std::unique_ptr<OpImplementation> make_foreign(const ir::OpCall& call) {
  if (call.op->definition->foreign->run_host == nullptr) {
    throw Error(ErrorCode::unsupported, "prepare " + call.op->name + ": the plugin's op " + call.op->kind +
                                            " does not run on the host device (run_host is null)");
  }
  return std::make_unique<ForeignOp>(call);
}

}  // namespace graphbench::host
