// The op catalog, and typed look-ups of an op's attributes.
#include <algorithm>

#include "graphs/base/error.hpp"
#include "graphs/ir/kind_row.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::ir {
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
