// Makes the table of a sweep's options from the rows and the axes, and reads values through it.
#include "harness/options/option_table.hpp"

#include <algorithm>
#include <array>

#include "graphs/base/text.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/options/raw_options.hpp"

namespace graphbench::options {
namespace {

OptionKind kind_of(model::AxisValues values) {
  switch (values) {
    case model::AxisValues::names:
    case model::AxisValues::choices:
      return OptionKind::words;
    case model::AxisValues::numbers:
      return OptionKind::numbers;
    case model::AxisValues::name:
      break;
  }
  return OptionKind::text;
}

OptionGroup group_of(const model::Axis& axis) {
  if (!axis.came_later()) return OptionGroup::plan;
  if (axis.passes == std::vector<std::string>{"training"}) return OptionGroup::training;
  if (axis.passes == std::vector<std::string>{std::string(model::of_its_own)}) return OptionGroup::torch;
  return OptionGroup::steps;
}

std::vector<OptionSpec> all_options() {
  std::vector<OptionSpec> options = axis_options(model::axes());
  options.push_back(option(OptionGroup::plan, "grid", Read(), InHash::no, InAb::own, "AXIS=VALUES ...",
                           "also measure the plan's cells with these values on the named axes "
                           "(repeatable; default, if no axis is given: \"" +
                               std::string(default_grid) + "\")",
                           {.kind = OptionKind::repeated, .also = "bench"}));
  options.insert(options.end(), option_rows().begin(), option_rows().end());
  std::ranges::stable_sort(options, {}, &OptionSpec::group);
  return options;
}

std::string text_of_place(bool value) {
  return value ? "on" : "off";
}
std::string text_of_place(double value) {
  return shortest_text(value);
}
std::string text_of_place(std::int64_t value) {
  return std::to_string(value);
}
std::string text_of_place(const std::string& value) {
  return value;
}
std::string text_of_place(const std::vector<std::string>& values) {
  return join(values);
}
std::string text_of_place(const std::vector<std::int64_t>& values) {
  return join(values, ",", [](std::int64_t value) { return std::to_string(value); });
}
std::string text_of_place(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : "";
}

}  // namespace

OptionSpec option(OptionGroup group, std::string name, Value value, InHash in_hash, InAb in_ab,
                  std::string placeholder, std::string help, OptionTraits traits) {
  using enum OptionKind;
  constexpr std::array<OptionKind, std::variant_size_v<Value>> kinds = {text, flag, integer, integer,
                                                                        real, text, words,   numbers};
  if (value.index() > 0) traits.kind = kinds.at(value.index());
  return {std::move(traits), group, std::move(name),        value,
          in_hash,           in_ab, std::move(placeholder), std::move(help)};
}

const std::vector<OptionTopic>& option_topics() {
  using enum OptionGroup;
  static const std::vector<OptionTopic> topics = {
      {plan, "plan", "What is measured"},
      {steps, "steps", "How steps are built and captured"},
      {training, "training", "Training steps"},
      {torch, "torch", "Steps of PyTorch"},
      {packages, "packages", "Packages"},
      {measuring, "measuring", "How it is measured"},
      {results, "results", "Where results go"},
      {prometheus, "prometheus", "Prometheus"},
      {plugins, "plugins", "Plugins"},
      {machine, "machine", "Machine"},
      {shards, "shards", "Shards"},
  };
  return topics;
}

std::string_view title_of(OptionGroup group) noexcept {
  return option_topics().at(static_cast<std::size_t>(group)).title;
}

std::vector<OptionSpec> axis_options(const model::AxisTable& table) {
  std::vector<OptionSpec> options;
  for (const model::Axis& axis : table) {
    options.push_back(option(group_of(axis), axis.name, Read(), InHash::no,
                             axis.local ? InAb::refused : InAb::own, axis.placeholder, axis.help,
                             {.kind = kind_of(axis.values),
                              .also = "bench " + axis.also,
                              .local = axis.local,
                              .brief = !axis.came_later()}));
    if (contains(axis.choices, "on") && axis.fallback == "off") options.back().alone = "on";
  }
  return options;
}

const std::vector<OptionSpec>& sweep_options() {
  static const std::vector<OptionSpec> options = all_options();
  return options;
}

const OptionSpec* find_option(std::string_view name) {
  for (const OptionSpec& option : sweep_options()) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

std::vector<std::string> option_names() {
  return model::names_of(sweep_options());
}

std::vector<std::string> options_for(std::string_view command) {
  std::vector<std::string> names;
  for (const OptionSpec& option : sweep_options()) {
    if (contains(split(option.also, ' '), std::string(command))) names.push_back(option.name);
  }
  return names;
}

bool is_given(const RawOptions& raw, const OptionSpec& option) {
  return find(raw, option.name) != nullptr && (option.kind != OptionKind::flag || flag(raw, option.name));
}

std::string value_text(const OptionSpec& option, SweepOptions options) {
  return std::visit(
      [&](auto place) -> std::string {
        if constexpr (std::is_same_v<decltype(place), Read>) {
          return "";
        } else {
          return text_of_place(place(options));
        }
      },
      option.value);
}

std::string hash_lines(const SweepOptions& options) {
  std::string text;
  for (const OptionSpec& option : sweep_options()) {
    if (option.in_hash == InHash::value) text += option.name + "=" + value_text(option, options) + "\n";
  }
  return text;
}

std::map<std::string, std::string> changed_settings(const SweepOptions& options) {
  std::map<std::string, std::string> changed;
  const SweepOptions usual;
  for (const OptionSpec& option : sweep_options()) {
    if (option.in_hash != InHash::changed) continue;
    const std::string text = value_text(option, options);
    if (text != value_text(option, usual)) changed[option.name] = text;
  }
  return changed;
}

}  // namespace graphbench::options
