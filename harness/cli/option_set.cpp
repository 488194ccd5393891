// Every command that takes an option of a sweep takes it the same way.
#include "harness/cli/option_set.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "harness/config/option_table.hpp"
#include "harness/model/input_error.hpp"

namespace graphbench::cli {

using config::OptionKind;

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

OptionSet::OptionSet(CLI::App& app, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const config::OptionSpec& spec = *config::find_option(name);
    if (spec.kind == OptionKind::flag) {
      app.add_flag("--" + name, flags_[name], spec.help);
      continue;
    }
    CLI::Option* option = app.add_option("--" + name, values_[name], spec.help);
    option->type_name(spec.placeholder)->type_size(1)->expected(1);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);  // raw() says it better than CLI11
  }
}

config::RawOptions OptionSet::raw() const {
  config::RawOptions raw;
  for (const auto& [name, values] : values_) {
    if (values.size() > 1 && config::find_option(name)->kind != OptionKind::repeated) {
      throw InputError("--" + name, "it is given " + std::to_string(values.size()) + " times: give it once");
    }
    for (const std::string& value : values) raw[name].push_back({value, "--" + name});
  }
  for (const auto& [name, given] : flags_) {
    if (given) raw[name].push_back({"true", "--" + name});
  }
  return raw;
}

std::vector<std::string> options_without(const std::vector<std::string>& names) {
  std::vector<std::string> others = config::option_names();
  std::erase_if(others, [&](const std::string& name) { return contains(names, name); });
  return others;
}

void add_text(CLI::App& app, const char* name, std::string& target, const std::string& help,
              const char* placeholder) {
  app.add_option(name, target, help)
      ->type_name(placeholder)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void check_given_once(const CLI::App& command, const GivenRules& rules) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) continue;
    const std::string name = option->get_name();
    if (contains(rules.repeatable, name)) continue;
    if (option->count() > 1) {
      throw InputError(name, "it is given " + std::to_string(option->count()) + " times: give it once");
    }
    if (option->count() == 1 && option->get_items_expected_max() > 0 && option->as<std::string>().empty() &&
        !contains(rules.emptiable, name)) {
      throw InputError(name, "it is given without a value; see graphbench " + command.get_name() + " --help");
    }
  }
}

}  // namespace graphbench::cli
