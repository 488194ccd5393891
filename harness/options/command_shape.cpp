// Reads off the parser what a command takes.
#include "harness/options/command_shape.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>
#include <memory>

#include "graphs/base/text.hpp"
#include "harness/options/command_options.hpp"
#include "harness/options/option_table.hpp"

namespace graphbench::options {
namespace {

// Fills in what only the table of a sweep's options knows.
void add_choices(OptionShape& shape) {
  const std::string name = shape.names.back().substr(2);
  if (shape.placeholder.find('|') != std::string::npos) {
    const std::vector<std::string> words = split(shape.placeholder, '|');
    const auto stands_for_values = [](const std::string& word) { return std::isupper(word.front()) != 0; };
    // "BYTES|engine" has one word that may be given, "ON|OFF" has two.
    if (std::ranges::all_of(words, stands_for_values)) {
      shape.choices = words;
    } else {
      std::ranges::copy_if(words, std::back_inserter(shape.choices), std::not_fn(stands_for_values));
    }
  }
  const OptionSpec* option = find_option(name);
  if (option == nullptr) return;
  if (!option->choices.empty()) shape.choices = option->choices;
  for (const model::Axis& axis : model::axes()) {
    if (axis.name == name) shape.choices = axis.choices;
  }
  shape.is_list = option->kind == OptionKind::words;
}

OptionShape shape_of(const CLI::Option& option) {
  OptionShape shape;
  for (const std::string& name : option.get_snames()) shape.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) shape.names.push_back("--" + name);
  if (shape.names.empty()) shape.names.push_back(option.get_name(true));
  if (option.get_items_expected_max() > 0) shape.placeholder = option.get_type_name();
  shape.help = option.get_description();
  shape.topic = option.get_group();
  shape.value_is_optional = option.get_items_expected_min() == 0;
  if (shape.names.back().starts_with("--")) add_choices(shape);
  return shape;
}

}  // namespace

CommandShape Options::shape() const {
  CommandShape shape;
  shape.name = app_.get_name();
  shape.help = app_.get_description();
  const std::string usage =
      std::dynamic_pointer_cast<CLI::Formatter>(app_.get_formatter())->make_usage(&app_, "");
  for (const std::string& line : split(usage, '\n')) {
    const std::size_t begin = line.find("graphbench ");
    if (begin != std::string::npos) shape.usage += (shape.usage.empty() ? "" : "\n") + line.substr(begin);
  }
  for (const CLI::Option* option : app_.get_options()) {
    if (option->get_group().empty()) continue;  // hidden: it is parsed only to be refused
    OptionShape each = shape_of(*option);
    if (!option->get_positional()) {
      shape.options.push_back(std::move(each));
      continue;
    }
    const auto choices = choices_.find(each.names.front());
    if (choices != choices_.end()) each.choices = choices->second;
    shape.words.push_back(std::move(each));
  }
  for (const Options& below : below_) shape.below.push_back(below.shape());
  return shape;
}

void Options::check_subcommand(const std::string& word) const {
  std::vector<std::string> names;
  if (std::ranges::any_of(below_, &Options::parsed)) return;
  for (const Options& below : below_) names.push_back(below.app_.get_name());
  if (names.empty()) return;
  throw InputError(app_.get_name(), in_quotes(word) + " is not an action of " + app_.get_name() + ": give " +
                                        join(names) + did_you_mean(word, names));
}

}  // namespace graphbench::options
