// Reads TOML into raw options. Every value keeps its FILE:LINE, so that later checks can name it.
// toml++ 3.3 asserts on some texts that are no TOML ("[= 1"): a person's mistake must not end a service.
#define TOML_ASSERT(expr) ((expr) ? static_cast<void>(0) : graphbench::config::refuse_as_no_toml())
#define TOML_HEADER_ONLY 1
#include "harness/config/toml_file.hpp"

#include <stdexcept>

namespace graphbench::config {

struct NoToml : std::runtime_error {
  using std::runtime_error::runtime_error;
};
[[noreturn]] inline void refuse_as_no_toml() {
  throw NoToml("it is not TOML: see https://toml.io for what is");
}

}  // namespace graphbench::config

#include <toml++/toml.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>

#include "harness/config/suggest.hpp"
#include "harness/config/toml_ascii.hpp"
#include "harness/model/input_error.hpp"

namespace graphbench::config {
namespace {

std::string place(const std::string& path, const toml::source_region& source) {
  return path + ":" + std::to_string(source.begin.line);
}

std::string type_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

std::string what_would_do(OptionKind kind) {
  switch (kind) {
    case OptionKind::words:
    case OptionKind::repeated:
      return "a string or an array of strings";
    case OptionKind::numbers:
      return "a whole number, a string such as \"1:256:x2\", or an array of them";
    case OptionKind::integer:
      return "a whole number";
    case OptionKind::real:
      return "a number";
    case OptionKind::flag:
      return "true or false";
    case OptionKind::text:
      break;
  }
  return "a string";
}

// As short as it can be and still be the same number: 0.05 stays 0.05.
std::string real_text(double value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) throw std::logic_error("a number has more digits than a double");
  return {text.data(), end};
}

// One scalar as the text a flag would have; absent where the option does not take this type.
std::optional<std::string> scalar(const toml::node& node, OptionKind kind) {
  const bool takes_text = kind != OptionKind::integer && kind != OptionKind::real && kind != OptionKind::flag;
  if (const auto text = node.value_exact<std::string>(); text && takes_text) return *text;
  const bool takes_integer =
      kind == OptionKind::numbers || kind == OptionKind::integer || kind == OptionKind::real;
  if (const auto number = node.value_exact<std::int64_t>(); number && takes_integer)
    return std::to_string(*number);
  if (const auto number = node.value_exact<double>(); number && kind == OptionKind::real)
    return real_text(*number);
  if (const auto flag = node.value_exact<bool>(); flag && kind == OptionKind::flag)
    return *flag ? "true" : "false";
  return std::nullopt;
}

class TomlReader {
 public:
  TomlReader(const std::string& path, const std::vector<OptionSpec>& more) : path_(path), more_(more) {}

  RawOptions read(const toml::table& root) {
    for (const auto& [key, node] : root) option(key, node);
    return std::move(raw_);
  }

 private:
  [[noreturn]] void wrong_type(const std::string& name, const toml::node& node, const std::string& would_do) {
    throw InputError(place(path_, node.source()),
                     name + ": " + type_of(node) + " will not do: give " + would_do);
  }

  void option(const toml::key& key, const toml::node& node) {
    const std::string name(key.str());
    const OptionSpec* spec = find_option(name);
    for (const OptionSpec& each : more_) spec = each.name == name ? &each : spec;
    if (spec == nullptr) {
      throw InputError(place(path_, key.source()),
                       in_quotes(name) + " is not a key of a sweep" + did_you_mean(name, option_names()) +
                           " (keys are the options of graphbench --sweep without dashes in front)");
    }
    if (name == "set" && node.is_table()) {
      for (const auto& [inner, value] : *node.as_table()) set_entry(std::string(inner.str()), value);
      return;
    }
    values(name, spec->kind, node);
  }

  void values(const std::string& name, OptionKind kind, const toml::node& node) {
    const bool takes_array =
        kind == OptionKind::words || kind == OptionKind::numbers || kind == OptionKind::repeated;
    if (!node.is_array()) {
      add(name, kind, node);
      return;
    }
    if (!takes_array) wrong_type(name, node, what_would_do(kind));
    if (node.as_array()->empty() && kind != OptionKind::repeated) {
      throw InputError(place(path_, node.source()),
                       name + ": the array is empty: give a value or leave the key out");
    }
    for (const toml::node& element : *node.as_array()) add(name, kind, element);
  }

  void add(const std::string& name, OptionKind kind, const toml::node& node) {
    const std::optional<std::string> text = scalar(node, kind);
    if (!text) wrong_type(name, node, what_would_do(kind));
    raw_[name].push_back({*text, place(path_, node.source()) + ": " + name});
  }

  // `"mlp.hidden" = 2048`, or the same as nested tables: `mlp.hidden = 2048`.
  void set_entry(const std::string& key, const toml::node& node) {
    if (const toml::table* inner = node.as_table(); inner != nullptr && key.find('.') == std::string::npos) {
      for (const auto& [name, value] : *inner) set_entry(key + "." + std::string(name.str()), value);
      return;
    }
    const auto number = node.value_exact<std::int64_t>();
    if (!number) wrong_type("set." + key, node, "a whole number");
    raw_["set"].push_back({key + "=" + std::to_string(*number), place(path_, node.source()) + ": set"});
  }

  const std::string& path_;
  const std::vector<OptionSpec>& more_;
  RawOptions raw_;
};

}  // namespace

RawOptions parse_toml(const std::string& text, const std::string& path, const std::vector<OptionSpec>& more) {
  if (const std::optional<std::size_t> line = line_of_misplaced_letter(text)) {
    throw InputError(path + ":" + std::to_string(*line),
                     "a letter beyond ASCII stands outside a string: put it in quotes, or leave it out");
  }
  try {
    return TomlReader(path, more).read(toml::parse(text, path));
  } catch (const NoToml& error) {
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
