// Checking an op against the row of its kind.
#include "graphs/ir/kind_row.hpp"

#include <algorithm>
#include <sstream>

#include "graphs/ir/error.hpp"

namespace graphbench::ir {
namespace {

std::string quoted(const Attribute& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return '"' + *text + '"';
  std::ostringstream number;
  std::visit([&number](const auto& any) { number << any; }, value);
  return number.str();
}

// Throws where the attribute is missing or has another type.
Attribute attribute_of(const Op& op, const AttributeRule& rule) {
  if (std::holds_alternative<std::int64_t>(rule.fallback)) return integer_attribute(op, rule.name);
  if (std::holds_alternative<double>(rule.fallback)) return real_attribute(op, rule.name);
  return text_attribute(op, rule.name);
}

void check_attribute(const Op& op, const AttributeRule& rule) {
  const Attribute value = attribute_of(op, rule);
  if (rule.fits == nullptr || rule.fits(value)) return;
  refuse(op, "attribute " + rule.name + " is " + quoted(value) + ", not " + rule.wanted);
}

void check_dtypes(const Op& op, const Inputs& inputs, const std::vector<std::uint32_t>& integers) {
  const Value* first = nullptr;
  for (std::uint32_t i = 0; i < inputs.size(); ++i) {
    const Value& value = *inputs[i];
    if (std::ranges::find(integers, i) != integers.end()) {
      if (value.dtype != DType::i32) refuse(op, "input " + value.name + " must be i32");
      continue;
    }
    if (first == nullptr) first = &value;
    if (value.dtype == DType::i32 || value.dtype != first->dtype) {
      refuse(op, "input " + value.name + " is " + std::string(name_of(value.dtype)) + ", where " +
                     first->name + " is " + std::string(name_of(first->dtype)) +
                     ": one floating dtype an op");
    }
  }
}

Outputs infer_by_row(const KindRow& row, const Op& op, const Inputs& inputs) {
  for (const AttributeRule& rule : row.attributes) check_attribute(op, rule);
  std::size_t count = row.inputs;
  for (const std::string& flag : row.flagged_inputs) count += integer_attribute(op, flag) == 1 ? 1 : 0;
  if (inputs.size() != count) {
    refuse(op, "takes " + std::to_string(count) + " inputs, not " + std::to_string(inputs.size()));
  }
  check_dtypes(op, inputs, row.integer_inputs);
  return row.infer(op, inputs);
}

}  // namespace

void refuse(const Op& op, const std::string& why) {
  throw Error(ErrorCode::invalid_argument, op.name + " (" + op.kind + "): " + why);
}

std::vector<OpDefinition> builtin_definitions() {
  std::vector<OpDefinition> definitions;
  for (const KindRow& row : kind_rows()) {
    definitions.push_back(
        {.kind = row.kind,
         .traits = row.traits,
         .attributes = row.attributes,
         .mutated_inputs = row.mutated_inputs,
         .infer = [&row](const Op& op, const Inputs& inputs) { return infer_by_row(row, op, inputs); }});
  }
  return definitions;
}

}  // namespace graphbench::ir
