// Reads TOML into raw options. Every value has its FILE:LINE for later messages. Assertions of toml++ 3.3
// throw NoToml, because some invalid texts ("[= 1") fail them, and a user's mistake must not end a service.
#define TOML_ASSERT(expr) ((expr) ? static_cast<void>(0) : graphbench::options::refuse_as_no_toml())
#define TOML_HEADER_ONLY 1
#define TOML_MAX_NESTED_VALUES 16
#include <stdexcept>

#include "harness/options/document_options.hpp"

namespace graphbench::options {

struct NoToml : std::runtime_error {
  using std::runtime_error::runtime_error;
};
[[noreturn]] inline void refuse_as_no_toml() {
  throw NoToml("the file is not valid TOML: see https://toml.io");
}

}  // namespace graphbench::options

#include <toml++/toml.h>

#include "graphs/base/files.hpp"
#include "graphs/base/text.hpp"

namespace graphbench::options {
namespace {

constexpr std::size_t toml_bytes_max = std::size_t{1} << 20;

std::string place(const std::string& path, const toml::source_region& source) {
  return path + ":" + std::to_string(source.begin.line);
}

DocumentValue value_of(const toml::node& node, const std::string& path);

DocumentValue::Table table_of(const toml::table& table, const std::string& path) {
  DocumentValue::Table members;
  for (const auto& [key, node] : table) members.emplace_back(key.str(), value_of(node, path));
  return members;
}

DocumentValue value_of(const toml::node& node, const std::string& path) {
  const std::string where = place(path, node.source());
  switch (node.type()) {
    case toml::node_type::table:
      return {where, "a table", table_of(*node.as_table(), path)};
    case toml::node_type::array: {
      DocumentValue::Array elements;
      for (const toml::node& element : *node.as_array()) elements.push_back(value_of(element, path));
      return {where, "an array", std::move(elements)};
    }
    case toml::node_type::string:
      return {where, "a string", *node.value_exact<std::string>()};
    case toml::node_type::integer:
      return {where, "an integer", *node.value_exact<std::int64_t>()};
    case toml::node_type::floating_point:
      return {where, "a number with a fraction", *node.value_exact<double>()};
    case toml::node_type::boolean:
      return {where, "a boolean", *node.value_exact<bool>()};
    default:
      return {where, "a date or time"};
  }
}

}  // namespace

RawOptions parse_toml(const std::string& text, const std::string& path, const std::vector<OptionSpec>& more) {
  if (const std::optional<TomlFault> fault = fault_before_parsing(text))
    throw InputError(path + ":" + std::to_string(fault->line), fault->why);
  try {
    return options_of(table_of(toml::parse(text, path), path), more);
  } catch (const NoToml& error) {
    throw InputError(path, error.what());
  } catch (const toml::parse_error& error) {
    std::string detail(error.description());
    for (char& c : detail) c = c == '\n' || c == '\r' ? ' ' : c;
    throw InputError(place(path, error.source()), detail);
  }
}

RawOptions read_toml_file(const std::string& path) {
  const WholeFile file = read_whole_file(path, toml_bytes_max);
  if (!file.why_not.empty())
    throw InputError("--config", in_quotes(path) + " " + file.why_not + ": give a TOML file");
  return parse_toml(file.text, path);
}

}  // namespace graphbench::options
