// The op catalog, and typed look-ups of an op's attributes.
#include <algorithm>

#include "graphs/ir/error.hpp"
#include "graphs/ir/infer.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::ir {
namespace {

template <typename T>
const T* find_attribute(const Op& op, std::string_view name, const char* type_name) {
  const auto found = op.attributes.find(name);
  if (found == op.attributes.end()) return nullptr;
  if (const T* value = std::get_if<T>(&found->second)) return value;
  throw Error(ErrorCode::invalid_argument,
              op.name + " (" + op.kind + "): attribute " + std::string(name) + " must be " + type_name);
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
  if (const auto* value = find_attribute<std::int64_t>(op, name, "an integer")) return *value;
  throw Error(ErrorCode::invalid_argument,
              op.name + " (" + op.kind + "): attribute " + std::string(name) + " is missing");
}

std::int64_t integer_attribute(const Op& op, std::string_view name, std::int64_t fallback) {
  const auto* value = find_attribute<std::int64_t>(op, name, "an integer");
  return value != nullptr ? *value : fallback;
}

double real_attribute(const Op& op, std::string_view name, double fallback) {
  const auto* value = find_attribute<double>(op, name, "a real number");
  return value != nullptr ? *value : fallback;
}

std::string text_attribute(const Op& op, std::string_view name, std::string_view fallback) {
  const auto* value = find_attribute<std::string>(op, name, "a text");
  return value != nullptr ? *value : std::string(fallback);
}

}  // namespace graphbench::ir
