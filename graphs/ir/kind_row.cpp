// Checks an op against the row of its kind, reads attributes by type, and implements the catalog of kinds.
#include "graphs/ir/kind_row.hpp"

#include <algorithm>
#include <sstream>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "graphs/ir/kind_names.hpp"

namespace graphbench::ir {
namespace {

std::string quoted(const Attribute& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return '"' + *text + '"';
  std::ostringstream number;
  std::visit([&number](const auto& any) { number << any; }, value);
  return number.str();
}

Attribute attribute_of(const Op& op, const AttributeRule& rule) {
  if (std::holds_alternative<std::int64_t>(rule.fallback)) return integer_attribute(op, rule.name);
  if (std::holds_alternative<double>(rule.fallback)) return real_attribute(op, rule.name);
  return text_attribute(op, rule.name);
}

void check_attribute(const Op& op, const AttributeRule& rule) {
  const Attribute value = attribute_of(op, rule);
  if (rule.fits == nullptr || rule.fits(value)) return;
  refuse(op, "attribute " + rule.name + " is " + quoted(value) + ", but must be " + rule.wanted);
}

// A `cond` has its body's attributes too, which are checked with the body.
void require_known_attributes(const Op& op, const KindRow& row) {
  if (op.kind == cond_kind) return;
  for (const auto& [name, value] : op.attributes) {
    if (std::ranges::find(row.attributes, name, &AttributeRule::name) != row.attributes.end()) continue;
    const std::string known = join(row.attributes, ", ", &AttributeRule::name);
    refuse(op, "attribute " + name + " does not exist: " +
                   (known.empty() ? "this kind has no attributes" : "give one of " + known));
  }
}

void check_dtypes(const Op& op, const Inputs& inputs, const KindRow& row) {
  const Value* first = nullptr;
  for (std::uint32_t i = 0; i < inputs.size(); ++i) {
    const Value& value = *inputs[i];
    if (std::ranges::count(row.integer_inputs, i) > 0) {
      if (value.dtype != DType::i32) refuse(op, "input " + value.name + " must be i32");
      continue;
    }
    if (std::ranges::count(row.scalar_inputs, i) > 0) {
      if (value.dtype != DType::fp32) refuse(op, "input " + value.name + " must be fp32");
      expect_shape(op, value, {fixed_dim(1)});
      continue;
    }
    if (first == nullptr) first = &value;
    if (value.dtype == DType::i32 || value.dtype != first->dtype) {
      refuse(op, "input " + value.name + " is " + std::string(name_of(value.dtype)) + ", but " + first->name +
                     " is " + std::string(name_of(first->dtype)) + ": give both the same dtype");
    }
  }
}

Outputs infer_by_row(const KindRow& row, const Op& op, const Inputs& inputs) {
  require_known_attributes(op, row);
  for (const AttributeRule& rule : row.attributes) check_attribute(op, rule);
  std::size_t count = row.inputs;
  for (const std::string& flag : row.flagged_inputs) count += integer_attribute(op, flag) == 1 ? 1 : 0;
  if (const std::size_t group = row.groups.size; group > 0) {
    if (inputs.size() <= count || (inputs.size() - count) % group != 0) {
      refuse(op, "the op takes " + std::to_string(count) + " inputs and then one or more groups of " +
                     std::to_string(group) + ", but has " + std::to_string(inputs.size()));
    }
  } else if (inputs.size() != count) {
    refuse(op, "the op takes " + std::to_string(count) + " inputs, but has " + std::to_string(inputs.size()));
  }
  check_dtypes(op, inputs, row);
  return row.infer(op, inputs);
}

bool is_flag(const Attribute& given) {
  const auto value = std::get<std::int64_t>(given);
  return value == 0 || value == 1;
}
bool is_positive_integer(const Attribute& given) {
  return std::get<std::int64_t>(given) > 0;
}
bool is_not_negative(const Attribute& given) {
  return std::get<std::int64_t>(given) >= 0;
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
         .inputs_ahead = row.inputs,
         .groups = row.groups,
         .infer = [&row](const Op& op, const Inputs& inputs) { return infer_by_row(row, op, inputs); }});
  }
  return definitions;
}

void expect_shape(const Op& op, const Value& value, const Shape& wanted) {
  if (value.shape != wanted) {
    refuse(op, "input " + value.name + " has shape " + to_string(value.shape) + ", but must have " +
                   to_string(wanted));
  }
}

void expect_rank(const Op& op, const Value& value, std::size_t rank) {
  if (value.shape.size() != rank) {
    refuse(op, "input " + value.name + " has shape " + to_string(value.shape) + ", but must have rank " +
                   std::to_string(rank));
  }
}

std::int64_t fixed_extent(const Op& op, const Value& value, std::size_t axis) {
  const Dim& dim = value.shape.at(axis);
  if (dim.per_batch != 0) {
    refuse(op, "extent " + std::to_string(axis) + " of " + value.name +
                   " must not depend on the batch, but the shape is " + to_string(value.shape));
  }
  return dim.fixed;
}

bool flag(const Op& op, std::string_view name) {
  return integer_attribute(op, name) == 1;
}

Outputs infer_elementwise(const Op& op, const Inputs& inputs) {
  for (const Value* value : inputs) expect_shape(op, *value, inputs[0]->shape);
  return {{inputs[0]->dtype, inputs[0]->shape}};
}

Outputs infer_nothing(const Op&, const Inputs&) {
  return {};
}

bool is_positive_real(const Attribute& given) {
  return std::get<double>(given) > 0;
}

AttributeRule flag_rule(const char* name) {
  return {name, std::int64_t{0}, "0 or 1", is_flag};
}
AttributeRule required_size(const char* name) {
  return {name, std::int64_t{0}, "positive", is_positive_integer, true};
}
AttributeRule padding_rule() {
  return {"padding", std::int64_t{0}, "0 or more", is_not_negative};
}
AttributeRule stride_rule() {
  return {"stride", std::int64_t{1}, "positive", is_positive_integer};
}

std::int64_t window_steps(const Op& op, std::int64_t extent, std::int64_t window) {
  const std::int64_t span = extent + 2 * integer_attribute(op, "padding") - window;
  if (span < 0) refuse(op, "the window of " + std::to_string(window) + " exceeds the padded image");
  return span / integer_attribute(op, "stride") + 1;
}

namespace {

template <typename T>
const T& attribute(const Op& op, std::string_view name, const char* type_name) {
  const Attribute* value = nullptr;
  if (const auto given = op.attributes.find(name); given != op.attributes.end()) {
    value = &given->second;
  } else if (op.definition != nullptr) {
    const auto rule = std::ranges::find(op.definition->attributes, name, &AttributeRule::name);
    if (rule != op.definition->attributes.end() && !rule->required) value = &rule->fallback;
  }
  if (value == nullptr) refuse(op, "attribute " + std::string(name) + " is missing");
  if (const T* typed = std::get_if<T>(value)) return *typed;
  refuse(op, "attribute " + std::string(name) + " must be " + type_name);
}

}  // namespace

OpCatalog::OpCatalog() {
  for (OpDefinition& definition : builtin_definitions()) add(std::move(definition));
}

void OpCatalog::add(OpDefinition definition) {
  std::string kind = definition.kind;
  if (definitions_.contains(kind)) {
    throw Error(ErrorCode::invalid_argument, "op kind \"" + kind + "\" exists already");
  }
  definitions_.emplace(std::move(kind), std::make_unique<OpDefinition>(std::move(definition)));
}

const OpDefinition* OpCatalog::find(std::string_view kind) const noexcept {
  const auto found = definitions_.find(kind);
  return found == definitions_.end() ? nullptr : found->second.get();
}

std::vector<std::string> OpCatalog::kinds() const {
  std::vector<std::string> kinds;
  kinds.reserve(definitions_.size());
  for (const auto& entry : definitions_) kinds.push_back(entry.first);
  return kinds;
}

std::int64_t integer_attribute(const Op& op, std::string_view name) {
  return attribute<std::int64_t>(op, name, "an integer");
}

double real_attribute(const Op& op, std::string_view name) {
  return attribute<double>(op, name, "a real number");
}

const std::string& text_attribute(const Op& op, std::string_view name) {
  return attribute<std::string>(op, name, "a text");
}

}  // namespace graphbench::ir
