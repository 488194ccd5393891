// Every value becomes the text that a flag would have, and keeps its place for later checks to name.
#include "harness/config/config_values.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <stdexcept>

#include "harness/config/suggest.hpp"
#include "harness/model/input_error.hpp"

namespace graphbench::config {
namespace {

using Array = std::vector<ConfigValue>;
using Table = std::vector<ConfigEntry>;

// In the order of ConfigValue's alternatives.
constexpr std::array type_names = {"a date or time", "a string", "an integer", "a number with a fraction",
                                   "a boolean",      "an array", "a table"};
static_assert(type_names.size() == std::variant_size_v<decltype(ConfigValue::data)>);

std::string type_wanted(OptionKind kind) {
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

// A single value as a flag would have it; absent where the option does not take this type.
std::optional<std::string> text_of(const ConfigValue& value, OptionKind kind) {
  const bool takes_text = kind != OptionKind::integer && kind != OptionKind::real && kind != OptionKind::flag;
  const bool takes_integer =
      kind == OptionKind::numbers || kind == OptionKind::integer || kind == OptionKind::real;
  if (const auto* text = std::get_if<std::string>(&value.data); text != nullptr && takes_text) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&value.data); number != nullptr && takes_integer)
    return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&value.data); number != nullptr && kind == OptionKind::real)
    return real_text(*number);
  if (const auto* flag = std::get_if<bool>(&value.data); flag != nullptr && kind == OptionKind::flag)
    return *flag ? "true" : "false";
  return std::nullopt;
}

[[noreturn]] void refuse_type(const std::string& name, const ConfigValue& value, const std::string& wanted) {
  throw InputError(value.where,
                   name + ": " + type_names.at(value.data.index()) + " will not do: give " + wanted);
}

std::string place_of(const ConfigValue& value, const std::string& name) {
  return value.where.empty() ? name : value.where + ": " + name;
}

void add_single(const std::string& name, OptionKind kind, const ConfigValue& value, RawOptions& raw) {
  const std::optional<std::string> text = text_of(value, kind);
  if (!text) refuse_type(name, value, type_wanted(kind));
  raw[name].push_back({*text, place_of(value, name)});
}

void add(const OptionSpec& option, const ConfigValue& value, RawOptions& raw) {
  const OptionKind kind = option.kind;
  const auto* array = std::get_if<Array>(&value.data);
  if (array == nullptr) {
    add_single(option.name, kind, value, raw);
    return;
  }
  const bool takes_array =
      kind == OptionKind::words || kind == OptionKind::numbers || kind == OptionKind::repeated;
  if (!takes_array) refuse_type(option.name, value, type_wanted(kind));
  if (array->empty() && kind != OptionKind::repeated) {
    throw InputError(value.where, option.name + ": the array is empty: give a value or leave the key out");
  }
  for (const ConfigValue& element : *array) add_single(option.name, kind, element, raw);
}

// `"mlp.hidden" = 2048`, or the same as nested tables: `mlp.hidden = 2048`.
void add_set(const std::string& key, const ConfigValue& value, RawOptions& raw) {
  const auto* table = std::get_if<Table>(&value.data);
  if (table != nullptr && key.find('.') == std::string::npos) {
    for (const ConfigEntry& inner : *table) add_set(key + "." + inner.key, inner.value, raw);
    return;
  }
  const auto* number = std::get_if<std::int64_t>(&value.data);
  if (number == nullptr) refuse_type("set." + key, value, "a whole number");
  raw["set"].push_back({key + "=" + std::to_string(*number), place_of(value, "set")});
}

}  // namespace

RawOptions raw_options(const std::vector<ConfigEntry>& entries, const std::vector<OptionSpec>& more) {
  RawOptions raw;
  for (const auto& [key, where, value] : entries) {
    const OptionSpec* option = find_option(key);
    for (const OptionSpec& each : more) option = each.name == key ? &each : option;
    if (option == nullptr) {
      throw InputError(where, in_quotes(key) + " is not a key of a sweep" +
                                  did_you_mean(key, option_names()) +
                                  " (keys are the options of graphbench --sweep without dashes in front)");
    }
    const auto* table = std::get_if<Table>(&value.data);
    if (table == nullptr || key != "set") {
      add(*option, value, raw);
      continue;
    }
    for (const ConfigEntry& inner : *table) add_set(inner.key, inner.value, raw);
  }
  return raw;
}

}  // namespace graphbench::config
