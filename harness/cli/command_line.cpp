// Parses the command line with CLI11 and the table of commands. Every error becomes one line.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <list>

#include "graphbench_version.hpp"
#include "graphs/base/text.hpp"
#include "graphs/device/stage_range.hpp"
#include "harness/cli/commands.hpp"
#include "harness/options/option_table.hpp"
#include "harness/options/output.hpp"
#include "harness/service/publish/publishing.hpp"
#include "harness/sweep/bench/flags.hpp"

namespace graphbench::cli {
namespace {

constexpr const char* on_lists =
    "Lists are comma-separated; ranges are 1:256:x2 (geometric) or 8:64:+8 (arithmetic), ends included.\n";

struct Entry {
  Entry(const CommandRow& made_of, CLI::App& own) : row(&made_of), app(&own), options(own) {}
  const CommandRow* row;
  CLI::App* app;
  options::Options options;
  std::unique_ptr<options::Command> command;
  bool given = false;  // only for a flag: true if the user gave it
};

bool is_flag(const CommandRow& row) {
  return row.name.starts_with("--");
}

[[noreturn]] void refuse_arguments(const CLI::ParseError& error) {
  std::string text = error.what();
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  throw InputError("", text + "; see graphbench --help");
}

// Replaces synonyms: `sweep` by `--sweep`, `version` by `--version`, and `help COMMAND` by `COMMAND --help`.
std::vector<std::string> without_synonyms(std::vector<std::string> words) {
  const bool asks = !words.empty() && words.front() == "help";
  if (asks) words.erase(words.begin());
  for (const char* name : {"sweep", "version"}) {
    if (!words.empty() && words.front() == name) words.front() = "--" + words.front();
  }
  // Puts --help behind a command, whose help it then is, and before all else.
  const bool command =
      !words.empty() && (words.front().starts_with("--") ||
                         std::ranges::count(commands(), words.front(), &CommandRow::name) > 0);
  if (asks) words.insert(command ? words.end() : words.begin(), "--help");
  return words;
}

// Refuses lists with blanks: "--batch 1 8" and "--batch 1, 8".
void check_lists(const std::vector<std::string>& words, const std::vector<CommandRow>& rows) {
  const auto ends_list = [&](const std::string& word) {
    return word.starts_with("-") || std::ranges::count(rows, word, &CommandRow::name) > 0;
  };
  for (auto word = words.begin(); word != words.end(); ++word) {
    const auto* option = word->starts_with("--") ? options::find_option(word->substr(2)) : nullptr;
    const bool is_list = option != nullptr && (option->kind == options::OptionKind::words ||
                                               option->kind == options::OptionKind::numbers);
    if (!is_list) continue;
    const auto end = std::find_if(word + 1, words.end(), ends_list);
    if (end - word < 3) continue;
    std::vector<std::string> values = split(join(std::vector<std::string>(word + 1, end), ","), ',');
    std::erase(values, "");
    throw InputError(*word, "a list may not have spaces: give " + *word + " " + join(values, ","));
  }
}

const CLI::App& parsed_app(const CLI::App& app) {
  const std::vector<CLI::App*> below = app.get_subcommands();
  return below.empty() ? app : parsed_app(*below.front());
}

}  // namespace

struct CommandLine::Impl {
  CLI::App app{"graphbench measures how much CUDA graphs gain, at which batch size, and at what cost",
               "graphbench"};
  bool version = false;
  bool all_help = false;
  const std::vector<CommandRow>& rows;
  std::list<Entry> entries;

  explicit Impl(const std::vector<CommandRow>& table) : rows(table) {
    app.set_help_flag("-h,--help", "print a short help and exit; --help TOPIC: print the options of " +
                                       topics() + "; --help WORD: what the help says of a word");
    app.add_flag("--help-all", all_help, "print this help and exit");
    app.footer(on_lists + std::string(exit_codes_text()));
    app.allow_extras();
    app.require_subcommand(0, 1);
    app.add_flag("-V,--version", version, "print the version and exit");
    options::set_usage(app, join(rows, "\n", &CommandRow::usage));
    for (const CommandRow& row : rows) add(row);
  }

  void add(const CommandRow& row) {
    const std::string name(row.name);
    const std::string help(row.help);
    CLI::App& own = is_flag(row) ? app : *app.add_subcommand(name, help);
    Entry& entry = entries.emplace_back(row, own);
    if (is_flag(row)) {
      app.add_flag(name, entry.given, help);
    } else {
      own.allow_extras();
      options::set_usage(own, std::string(row.usage));
      own.footer("");
    }
    entry.command = row.make(entry.options);
    options::set_examples(own, row.examples);
  }

  // Returns the help for the words before and after --help.
  std::string help() const {
    const CLI::App& asked = parsed_app(app);
    if (&asked != &app) return asked.help();
    const std::vector<std::string> extras = app.remaining();
    const CommandRow& sweep = *entries.front().row;
    if (extras.empty() && app.count("--sweep") > 0)
      return options::help_alone(app, std::string(sweep.usage), sweep.examples);
    if (extras.empty()) return brief_help(rows);
    const std::string word = join(extras, " ");
    if (const std::optional<std::string> topic = topic_help(word)) return *topic;
    if (const std::optional<std::string> found = found_in_help(word, shape())) return *found;
    std::vector<std::string> known = words();
    for (const options::OptionTopic& topic : options::option_topics()) known.push_back(topic.name);
    throw InputError("--help", in_quotes(word) + " is not a command, a topic or a word of the help: give " +
                                   names() + ", or " + topics() + did_you_mean(word, known));
  }

  // Everything that can be given: of a flag such as --sweep, also as a command of that name.
  options::CommandShape shape() const {
    options::CommandShape shape = entries.front().options.shape();
    shape.name = "graphbench";
    for (const Entry& each : entries) {
      options::CommandShape below = each.options.shape();
      below.name = word_of(*each.row);
      below.help = each.row->help;
      below.usage = "graphbench " + std::string(each.row->usage);
      if (is_flag(*each.row)) {
        std::erase_if(below.options, [&](const options::OptionShape& option) {
          return contains(std::vector<std::string>{"--version", "--help-all", std::string(each.row->name)},
                          option.names.back());
        });
      }
      shape.below.push_back(std::move(below));
    }
    return shape;
  }

  Entry* subcommand() {
    const auto found = std::ranges::find_if(
        entries, [](const Entry& each) { return !is_flag(*each.row) && each.app->parsed(); });
    return found == entries.end() ? nullptr : &*found;
  }

  std::string names() const {
    std::string text;
    for (const Entry& each : entries) {
      const bool last = &each == &entries.back();
      text += (text.empty() ? "" : last ? " or " : ", ") + std::string(each.row->name);
    }
    return text;
  }

  // The words that may stand first.
  static std::string word_of(const CommandRow& row) {
    return std::string(row.name.substr(is_flag(row) ? 2 : 0));
  }
  std::vector<std::string> words() const {
    std::vector<std::string> known = {"help", "version"};
    for (const Entry& each : entries) known.push_back(word_of(*each.row));
    return known;
  }

  void check_extras(const Entry* chosen) const {
    const std::vector<std::string> extras = app.remaining(true);
    if (extras.empty()) return;
    const std::string& first = extras.front();
    const std::string command = chosen != nullptr ? " " + std::string(chosen->row->name) : "";
    if (first.starts_with("-")) {
      const std::string name = first.substr(0, first.find('='));
      const options::Options& options = chosen != nullptr ? chosen->options : entries.front().options;
      throw InputError(name, "this option does not exist" + did_you_mean(name, options.names()) +
                                 " (see graphbench" + command + " --help)");
    }
    if (chosen != nullptr) {
      chosen->options.check_subcommand(first);
      throw InputError(std::string(chosen->row->name), in_quotes(first) + " is one argument too many: give " +
                                                           std::string(chosen->row->usage));
    }
    const std::vector<std::string> known = words();
    if (entries.front().given && !nearest(first, known))
      throw InputError("--sweep", in_quotes(first) +
                                      " does not belong to an option: did you mean --workload " +
                                      shortened(first) + "? (see graphbench --help)");
    throw InputError("",
                     in_quotes(first) + " is not a command: give " + names() + did_you_mean(first, known));
  }

  void check_benchmark_flags(const Entry* chosen, const std::vector<std::string>& flags) const {
    if (flags.empty() || (chosen != nullptr && chosen->row->takes_benchmark_flags)) return;
    for (const Entry& each : entries) {
      const std::string name(each.row->name);
      if (!each.row->takes_benchmark_flags) continue;
      throw InputError(flags.front(), "the option belongs to " + name + ": give graphbench " + name + " ...");
    }
  }

  // Refuses options before the command's name, because they would be options of a flag such as --sweep.
  void check_nothing_before(const Entry& chosen) const {
    const std::string command(chosen.row->name);
    for (const Entry& each : entries) {
      if (!is_flag(*each.row)) continue;
      const std::string flag(each.row->name);
      if (each.given)
        throw InputError(command, "the command cannot be combined with " + flag + ": give one of the two");
      const std::string misplaced = each.options.first_given(flag);
      if (misplaced.empty()) continue;
      throw InputError(misplaced, "the option stands before " + command + ": give " + command +
                                      "'s options after the word " + command);
    }
  }

  // Returns the flag that the user gave, or throws InputError. Call this only without a subcommand.
  Entry& flagged() {
    for (Entry& each : entries) {
      if (is_flag(*each.row) && each.given) return each;
    }
    for (const Entry& each : entries) {
      const std::string name(each.row->name);
      const std::string given = is_flag(*each.row) ? each.options.first_given() : "";
      if (!given.empty())
        throw InputError(given, "the option needs " + name + ": give graphbench " + name + " ...");
    }
    throw InputError("", "nothing to do: give " + names() + "; see graphbench --help");
  }
};

CommandLine::CommandLine(const std::vector<CommandRow>& rows) : impl_(std::make_unique<Impl>(rows)) {}

CommandLine::~CommandLine() = default;

options::CommandShape CommandLine::shape() const {
  return impl_->shape();
}

CommandLine::Request CommandLine::parse(int argc, const char* const* argv) {
  Request request;
  std::vector<std::string>& own = request.invocation.argv;
  own.assign(argv, argv + argc);
  const std::vector<std::string> words = without_synonyms({argv + std::min(argc, 1), argv + argc});
  own.resize(static_cast<std::size_t>(std::min(argc, 1)));
  own.insert(own.end(), words.begin(), words.end());
  // Documents record the command line. Drops the binary's folder, which does not affect the results.
  if (argc > 0) own.front() = std::filesystem::path(argv[0]).filename().string();
  // Google Benchmark gets its own flags. CLI11 gets the other words, in the reverse order that it requires.
  std::vector<std::string> rest;
  for (std::size_t i = 1; i < own.size(); ++i)
    (sweep::is_flag(own[i]) ? request.invocation.benchmark_flags : rest).push_back(own[i]);
  check_lists(rest, impl_->rows);
  std::ranges::reverse(rest);
  try {
    impl_->app.parse(rest);
  } catch (const CLI::CallForHelp&) {
    request.text = impl_->help();
    return request;
  } catch (const CLI::ParseError& error) {
    refuse_arguments(error);
  }
  Entry* chosen = impl_->subcommand();
  impl_->check_extras(chosen);
  impl_->check_benchmark_flags(chosen, request.invocation.benchmark_flags);
  if (impl_->all_help) {
    request.text = impl_->app.help();
    return request;
  }
  if (impl_->version) {
    request.text = "graphbench " GRAPHBENCH_VERSION " (" GRAPHBENCH_COMMIT ")";
    if (!StageRange::are_built_in()) request.text += ", without NVTX (no nvtx3/nvToolsExt.h at the build)";
    request.text += "\n";
    return request;
  }
  if (chosen != nullptr) {
    impl_->check_nothing_before(*chosen);
  } else {
    chosen = &impl_->flagged();
  }
  chosen->options.check();
  chosen->command->check();
  request.name = chosen->row->name;
  request.command = chosen->command.get();
  return request;
}

int run(int argc, const char* const* argv) {
  for (const ChildRow& child : children()) {
    if (argc > 1 && child.role == argv[1]) return child.run(argc > 2 ? argv[2] : "");
  }
  options::prepare_streams();
  return options::guarded([=] {
    CommandLine line;
    const CommandLine::Request request = line.parse(argc, argv);
    if (request.command != nullptr) return request.command->run(request.invocation);
    std::fputs(request.text.c_str(), stdout);
    return model::exit_done;
  });
}

int run_served(std::string_view parent) {
  return options::guarded([&] {
    const service::ServedSweep served = service::begin_served(parent);
    options::prepare_streams();
    std::vector<const char*> argv = {"graphbench", "--sweep"};
    for (const std::string& option : served.run) argv.push_back(option.c_str());
    CommandLine line;
    CommandLine::Request request = line.parse(static_cast<int>(argv.size()), argv.data());
    request.invocation.served = true;
    request.invocation.argv = {"graphbench", "--sweep"};
    request.invocation.argv.insert(request.invocation.argv.end(), served.asked.begin(), served.asked.end());
    return request.command->run(request.invocation);
  });
}

}  // namespace graphbench::cli
