// Turns each value of a document into the text of a flag, so that one set of checks covers files and flags.
#include "harness/options/document_options.hpp"

#include <algorithm>
#include <optional>

#include "graphs/base/text.hpp"

namespace graphbench::options {
namespace {

std::string accepted_values(OptionKind kind) {
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

std::optional<std::string> scalar(const DocumentValue& given, OptionKind kind) {
  const bool takes_text = kind != OptionKind::integer && kind != OptionKind::real && kind != OptionKind::flag;
  if (const auto* text = std::get_if<std::string>(&given.value); text != nullptr && takes_text) return *text;
  const bool takes_integer =
      kind == OptionKind::numbers || kind == OptionKind::integer || kind == OptionKind::real;
  if (const auto* number = std::get_if<std::int64_t>(&given.value); number != nullptr && takes_integer)
    return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&given.value); number != nullptr && kind == OptionKind::real)
    return shortest_text(*number);
  if (const auto* flag = std::get_if<bool>(&given.value); flag != nullptr && kind == OptionKind::flag)
    return *flag ? "true" : "false";
  return std::nullopt;
}

[[noreturn]] void refuse_type(const std::string& name, const DocumentValue& given,
                              const std::string& accepted) {
  throw InputError(given.place, name + ": " + given.type + " is not valid: give " + accepted);
}

void add_raw_option(RawOptions& raw, const std::string& name, const std::string& text,
                    const std::string& place) {
  raw[name].push_back({text, place.empty() ? name : place + ": " + name});
}

void add_values(RawOptions& raw, const std::string& name, OptionKind kind, const DocumentValue& given) {
  const auto add_one = [&](const DocumentValue& each) {
    const std::optional<std::string> text = scalar(each, kind);
    if (!text) refuse_type(name, each, accepted_values(kind));
    add_raw_option(raw, name, *text, each.place);
  };
  const auto* array = std::get_if<DocumentValue::Array>(&given.value);
  if (array == nullptr) return add_one(given);
  const bool takes_array =
      kind == OptionKind::words || kind == OptionKind::numbers || kind == OptionKind::repeated;
  if (!takes_array) refuse_type(name, given, accepted_values(kind));
  if (array->empty() && kind != OptionKind::repeated) {
    throw InputError(given.place, name + ": the array is empty: give a value or leave the key out");
  }
  for (const DocumentValue& element : *array) add_one(element);
}

// Accepts the quoted key in `"mlp.hidden" = 2048`, and the nested tables that `mlp.hidden = 2048` makes.
void add_set(RawOptions& raw, const std::string& key, const DocumentValue& given) {
  const auto* inner = std::get_if<DocumentValue::Table>(&given.value);
  if (inner != nullptr && key.find('.') == std::string::npos) {
    for (const auto& [name, value] : *inner) add_set(raw, key + "." + name, value);
    return;
  }
  const auto* number = std::get_if<std::int64_t>(&given.value);
  if (number == nullptr) refuse_type("set." + key, given, "a whole number");
  add_raw_option(raw, "set", key + "=" + std::to_string(*number), given.place);
}

// Returns the index after the string that begins at `begin`. The closing quote may be missing.
std::size_t end_of_string(std::string_view toml, std::size_t begin) {
  const char quote = toml[begin];
  const std::string_view rest = toml.substr(begin);
  const bool many_lines = rest.size() >= 3 && rest[1] == quote && rest[2] == quote;
  std::size_t i = begin + (many_lines ? 3 : 1);
  for (; i < toml.size(); ++i) {
    if (toml[i] == '\\' && quote == '"') {
      ++i;
    } else if (toml[i] == '\n' && !many_lines) {
      return i;
    } else if (toml[i] == quote && !many_lines) {
      return i + 1;
    } else if (toml[i] == quote && i + 2 < toml.size() && toml[i + 1] == quote && toml[i + 2] == quote) {
      i += 3;
      // TOML allows up to two quotes directly before the three closing quotes.
      for (int more = 0; more < 2 && i < toml.size() && toml[i] == quote; ++more) ++i;
      return i;
    }
  }
  return toml.size();
}

}  // namespace

RawOptions options_of(const DocumentValue::Table& document, const std::vector<OptionSpec>& more) {
  RawOptions raw;
  for (const auto& [name, given] : document) {
    const OptionSpec* spec = find_option(name);
    for (const OptionSpec& each : more) spec = each.name == name ? &each : spec;
    if (spec == nullptr) {
      throw InputError(given.place,
                       in_quotes(name) + " is not a key of a sweep" + did_you_mean(name, option_names()) +
                           " (keys are the options of graphbench --sweep without dashes in front)");
    }
    const auto* table = std::get_if<DocumentValue::Table>(&given.value);
    if (name != "set" || table == nullptr) {
      add_values(raw, name, spec->kind, given);
      continue;
    }
    for (const auto& [key, value] : *table) add_set(raw, key, value);
  }
  return raw;
}

std::optional<TomlFault> fault_before_parsing(std::string_view toml) {
  constexpr std::size_t key_parts_max = 16;
  std::size_t i = toml.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  const auto fault = [&](const std::string& why) {
    const auto here = toml.begin() + static_cast<std::ptrdiff_t>(i);
    return TomlFault{1 + static_cast<std::size_t>(std::count(toml.begin(), here, '\n')), why};
  };
  std::size_t parts = 1;  // parts of the current key; a value has too few dots to exceed the limit
  while (i < toml.size()) {
    const char c = toml[i];
    if (c == '#') {
      i = std::min(toml.find('\n', i), toml.size());
      continue;
    }
    if (c == '"' || c == '\'') {
      i = end_of_string(toml, i);
      continue;
    }
    if (static_cast<unsigned char>(c) >= 0x80)
      return fault("a non-ASCII letter is outside a string: put the letter in quotes, or leave it out");
    if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos) parts = 1;
    if (c == '.' && ++parts > key_parts_max)
      return fault("a key has more than " + std::to_string(key_parts_max) +
                   " parts: give an option's key, such as batch or set.mlp.hidden");
    ++i;
  }
  return std::nullopt;
}

}  // namespace graphbench::options
