// Adds a command's options to CLI11. Options::check() reports some errors in place of CLI11, in our words.
#include "harness/options/command_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>

#include "graphs/base/text.hpp"
#include "harness/options/document_options.hpp"
#include "harness/options/option_table.hpp"

namespace graphbench::options {
namespace {

class UsageFormatter final : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override {
    std::string text = "Usage: graphbench ";
    for (const char c : usage_) text += c == '\n' ? "\n       graphbench " : std::string(1, c);
    return text + "\n";
  }
  std::string make_footer(const CLI::App* app) const override {
    const std::string footer = CLI::Formatter::make_footer(app);
    return examples.empty() ? footer : "\nExamples:\n" + lines_of(examples) + footer;
  }

  // CLI11 asks its formatter for each part of a help text, so this leaves the subcommands out.
  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const override {
    return alone ? "" : CLI::Formatter::make_subcommands(app, mode);
  }

  std::vector<Example> examples;
  bool alone = false;

 private:
  std::string usage_;
};

}  // namespace

std::string lines_of(const std::vector<Example>& examples) {
  std::size_t width = 0;
  for (const Example& example : examples) width = std::max(width, example.line.size());
  std::string text;
  for (const Example& example : examples) {
    text += "  graphbench " + std::string(example.line) + std::string(width + 3 - example.line.size(), ' ') +
            std::string(example.what) + "\n";
  }
  return text;
}

void set_examples(CLI::App& app, const std::vector<Example>& examples) {
  std::dynamic_pointer_cast<UsageFormatter>(app.get_formatter())->examples = examples;
  for (CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string name = app.get_name() + " " + below->get_name();
    std::vector<Example> own;
    std::ranges::copy_if(examples, std::back_inserter(own),
                         [&](const Example& example) { return example.line.starts_with(name); });
    set_examples(*below, own);
  }
}

void set_usage(CLI::App& app, const std::string& usage) {
  app.formatter(std::make_shared<UsageFormatter>(usage));
}

std::string help_alone(const CLI::App& app, const std::string& usage, const std::vector<Example>& examples) {
  UsageFormatter formatter(usage);
  formatter.column_width(app.get_formatter()->get_column_width());
  formatter.examples = examples;
  formatter.alone = true;
  return formatter.make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
}

void Options::flag(const std::string& name, bool& target, const std::string& help) {
  given_once_.push_back(app_.add_flag(name, target, help)->get_name());
}

void Options::text(const std::string& name, std::string& target, const std::string& placeholder,
                   const std::string& help, Empty empty) {
  const CLI::Option* option = app_.add_option(name, target, help)
                                  ->type_name(placeholder)
                                  ->expected(1)
                                  ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  given_once_.push_back(option->get_name());
  if (empty == Empty::refused) never_empty_.push_back(option->get_name());
}

void Options::text_or(const std::string& alone, const std::string& name, std::string& target,
                      const std::string& placeholder, const std::string& help) {
  const CLI::Option* option =
      app_.add_option_function<std::string>(
              name, [&target, alone](const std::string& value) { target = value.empty() ? alone : value; },
              help)
          ->type_name(placeholder)
          ->type_size(1)
          ->expected(0, 1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  given_once_.push_back(option->get_name());
}

void Options::own(OwnOption option) {
  if (option.placeholder.empty()) {
    given_once_.push_back(app_.add_flag(option.name)->description(option.help)->get_name());
  } else if (option.alone.empty()) {
    text(option.name, own_texts_[option.name], option.placeholder, option.help);
  } else {
    text_or(option.alone, option.name, own_texts_[option.name], option.placeholder, option.help);
  }
  own_.push_back(std::move(option));
}

void Options::texts(const std::string& name, std::vector<std::string>& target, const std::string& placeholder,
                    const std::string& help) {
  app_.add_option(name, target, help)->type_name(placeholder)->expected(1)->take_all();
}

void Options::word(const std::string& name, std::string& target, const std::string& help,
                   const std::vector<std::string>& choices) {
  app_.add_option(name, target, help)->type_name("");
  choices_[name] = choices;
}

void Options::words(const std::string& name, std::vector<std::string>& target, const std::string& help) {
  app_.add_option(name, target, help)->type_name("");
}

void Options::sweep_options(const std::vector<std::string>& names, const std::vector<std::string>& hidden) {
  // The table is sorted by group, and the help shows the options in this order.
  for (const OptionSpec& spec : options::sweep_options()) {
    if (!contains(names, spec.name)) continue;
    CLI::Option* option = nullptr;
    if (spec.kind == OptionKind::flag) {
      option = app_.add_flag("--" + spec.name, sweep_flags_[spec.name], spec.help);
    } else {
      option = app_.add_option("--" + spec.name, sweep_texts_[spec.name], spec.help);
      option->type_name(spec.placeholder)->type_size(1)->expected(spec.alone.empty() ? 1 : 0, 1);
      const bool repeated = spec.kind == OptionKind::repeated;
      option->multi_option_policy(repeated ? CLI::MultiOptionPolicy::TakeAll
                                           : CLI::MultiOptionPolicy::TakeLast);
      if (!repeated) given_once_.push_back(option->get_name());
    }
    option->group(contains(hidden, spec.name) ? "" : std::string(title_of(spec.group)));
  }
}

void Options::config_file() {
  text("--config", config_file_, "FILE.toml",
       "read a sweep's options from a TOML file; flags override the file", Empty::allowed);
}

void Options::describe(const std::string& name, const std::string& help) {
  app_.get_option(name)->description(help);
}

void Options::footer(const std::string& text) {
  app_.footer(text);
}

Options& Options::command(const std::string& name, const std::string& help, const std::string& usage) {
  CLI::App* app = app_.add_subcommand(name, help);
  app->allow_extras();
  app_.require_subcommand(0, 1);
  set_usage(*app, usage);
  return below_.emplace_back(*app);
}

bool Options::parsed() const {
  return app_.parsed();
}

bool Options::given(const std::string& name) const {
  return app_.count(name) > 0;
}

RawOptions Options::sweep() const {
  RawOptions flags;
  for (const auto& [name, values] : sweep_texts_) {
    // For an option without a value, CLI11 stores an empty text.
    const std::string& alone = find_option(name)->alone;
    for (const std::string& value : values)
      flags[name].push_back({value.empty() && !alone.empty() ? alone : value, "--" + name});
  }
  for (const auto& [name, on] : sweep_flags_) {
    if (on) flags[name].push_back({"true", "--" + name});
  }
  if (app_.get_option_no_throw("--config") == nullptr || !given("--config")) return flags;
  return merge(read_toml_file(config_file_), flags);
}

std::vector<std::string> Options::names() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string Options::first_given(const std::string& except) const {
  for (const CLI::Option* option : app_.get_options()) {
    if (option->count() == 0) continue;
    // For a hidden option get_name() returns "", so the long name is preferred.
    const std::vector<std::string>& names = option->get_lnames();
    const std::string name = names.empty() ? option->get_name() : "--" + names.front();
    if (name != except) return name;
  }
  return "";
}

void Options::check() const {
  for (const Options& below : below_) below.check();
  for (const std::string& name : given_once_) {
    const std::size_t count = app_.count(name);
    if (count > 1)
      throw InputError(name, "the option is given " + std::to_string(count) + " times: give the option once");
  }
  for (const std::string& name : never_empty_) {
    if (given(name) && app_.get_option(name)->as<std::string>().empty()) {
      throw InputError(name,
                       "the option is given without a value; see graphbench " + app_.get_name() + " --help");
    }
  }
  for (const OwnOption& option : own_) {
    if (!given(option.name)) continue;
    if (!option.needs.empty() && !given(option.needs))
      throw InputError(option.name,
                       "the option does nothing without " + option.needs + ": give " + option.needs + " too");
    const auto text = own_texts_.find(option.name);
    option.read(option.name, text == own_texts_.end() ? "" : text->second);
  }
  for (const OwnOption& option : own_) {
    if (given(option.name) && option.effect.is_there && !option.effect.is_there())
      throw InputError(option.name,
                       "the option would change nothing: give it only with " + option.effect.with);
  }
}

}  // namespace graphbench::options
