// Reads TOML; every value keeps its FILE:LINE, so that later checks can name it. toml++ 3.3 asserts on some
// texts that are not TOML ("[= 1"), and a person's mistake must not end a service.
#define TOML_ASSERT(expr) ((expr) ? static_cast<void>(0) : graphbench::config::refuse_as_not_toml())
#define TOML_HEADER_ONLY 1
#include "harness/config/toml_file.hpp"

#include <stdexcept>

namespace graphbench::config {

struct NotToml : std::runtime_error {
  using std::runtime_error::runtime_error;
};
[[noreturn]] inline void refuse_as_not_toml() {
  throw NotToml("it is not TOML: see https://toml.io");
}

}  // namespace graphbench::config

#include <toml++/toml.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "harness/config/config_values.hpp"
#include "harness/config/toml_ascii.hpp"
#include "harness/model/input_error.hpp"

namespace graphbench::config {
namespace {

std::string place(const std::string& path, const toml::source_region& source) {
  return path + ":" + std::to_string(source.begin.line);
}

ConfigValue value_of(const toml::node& node, const std::string& path);

std::vector<ConfigEntry> entries_of(const toml::table& table, const std::string& path) {
  std::vector<ConfigEntry> entries;
  for (const auto& [key, node] : table)
    entries.push_back({std::string(key.str()), place(path, key.source()), value_of(node, path)});
  return entries;
}

ConfigValue value_of(const toml::node& node, const std::string& path) {
  ConfigValue value;
  value.where = place(path, node.source());
  if (const toml::table* table = node.as_table()) {
    value.data = entries_of(*table, path);
  } else if (const toml::array* array = node.as_array()) {
    std::vector<ConfigValue> elements;
    for (const toml::node& element : *array) elements.push_back(value_of(element, path));
    value.data = std::move(elements);
  } else {
    const auto take = [&](const auto& single) {
      if (single) value.data = *single;
    };
    take(node.value_exact<std::string>());
    take(node.value_exact<std::int64_t>());
    take(node.value_exact<double>());
    take(node.value_exact<bool>());
  }
  return value;
}

}  // namespace

RawOptions parse_toml(const std::string& text, const std::string& path, const std::vector<OptionSpec>& more) {
  if (const std::optional<std::size_t> line = line_of_misplaced_letter(text)) {
    throw InputError(path + ":" + std::to_string(*line),
                     "a letter beyond ASCII is outside a string: put it in quotes, or leave it out");
  }
  try {
    return raw_options(entries_of(toml::parse(text, path), path), more);
  } catch (const NotToml& error) {
    throw InputError(path, error.what());
  } catch (const toml::parse_error& error) {
    std::string detail(error.description());
    for (char& c : detail) c = c == '\n' || c == '\r' ? ' ' : c;
    throw InputError(place(path, error.source()), detail);
  }
}

RawOptions read_toml_file(const std::string& path) {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
  std::string text;
  char chunk[4096];
  for (std::size_t got = 1; file && got > 0;) {
    got = std::fread(chunk, 1, sizeof chunk, file.get());
    text.append(chunk, got);
  }
  // A folder can be opened, but not read.
  if (!file || std::ferror(file.get()) != 0) {
    throw InputError("--config",
                     in_quotes(path) + " cannot be read: " + std::strerror(errno) + ": give a TOML file");
  }
  return parse_toml(text, path);
}

}  // namespace graphbench::config
