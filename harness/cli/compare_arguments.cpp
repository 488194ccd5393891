// The options of compare are its own: they say nothing of a sweep, and no configuration file has them.
#include "harness/cli/compare_arguments.hpp"

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "harness/cli/option_set.hpp"
#include "harness/config/suggest.hpp"
#include "harness/model/input_error.hpp"
#include "reporters/comparison/faces.hpp"

namespace graphbench::cli {
namespace {

constexpr const char* footer =
    "BASE and NEW are what --json wrote, or folders of such files (one a shard or launch); also what Google\n"
    "Benchmark and nvbench write as JSON.\n"
    "Exit codes: 0 nothing slower; 2 bad usage or input; 10 slower, or a cell or metric is gone; 11\n"
    "inconclusive, with --strict; 12 not comparable. docs/comparing.md explains every number.\n";

std::string format_help() {
  std::string names;
  for (const reporters::Face& face : reporters::faces()) {
    names += (names.empty() ? "" : "; ") + std::string(face.name) + ": " + std::string(face.what);
  }
  return names;
}

// The paths of a comparison: with --against, the only one is NEW's.
void check_sides(CompareArguments& arguments) {
  if (!arguments.against.empty()) {
    if (!arguments.now.empty()) {
      throw InputError("--against", "the history is BASE, so " + in_quotes(arguments.now) +
                                        " is one too many: give NEW alone");
    }
    arguments.now = std::exchange(arguments.base, "");
  } else if (!arguments.history.empty()) {
    throw InputError("--history", "it needs --against: BASE comes from a file otherwise");
  } else if (arguments.base.empty()) {
    throw InputError("compare", "BASE is missing: graphbench compare BASE NEW");
  }
  if (arguments.now.empty()) throw InputError("compare", "NEW is missing: graphbench compare BASE NEW");
}

}  // namespace

void add_verdict_options(CLI::App& app, VerdictArguments& arguments) {
  add_text(app, "--margin", arguments.margin,
           "changes up to this do not matter (2%), also by metric: latency=2%,submit=5%", "LIST");
  add_text(app, "--floor", arguments.floor, "nor do changes up to this time (200ns), also by metric", "LIST");
  add_text(app, "--alpha", arguments.alpha,
           "share of false alarms among what is called slower or faster (0.05)", "RATE");
  add_text(app, "--allow", arguments.allow, "compare although these differ: device, plan, ...", "FIELD,...");
  add_text(app, "--format", arguments.format, format_help(), "NAME");
  add_text(app, "-o,--output", arguments.output, "write to FILE instead of stdout (-)", "FILE");
  app.add_flag("--strict", arguments.strict, "exit with 11 where something is inconclusive");
}

CLI::App& add_compare(CLI::App& app, CompareArguments& arguments) {
  CLI::App* command = app.add_subcommand("compare", "say what became slower between two results");
  command->allow_extras();
  command->footer(footer);
  command->add_option("BASE", arguments.base, "the result before")->type_name("");
  command->add_option("NEW", arguments.now, "the result after")->type_name("");
  add_text(*command, "--against", arguments.against,
           "instead of BASE: the latest result of this branch, label or commit in the history", "NAME");
  add_text(*command, "--history", arguments.history, "the history's file, for --against", "FILE");
  add_verdict_options(*command, arguments.verdict);
  return *command;
}

void check_compare(const CLI::App& command, CompareArguments& arguments) {
  std::vector<std::string> known = {"--help"};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) continue;
    known.push_back(option->get_name());
  }
  check_given_once(command, {});
  const std::vector<std::string> extras = command.remaining();
  if (!extras.empty()) {
    const std::string name = extras.front().substr(0, extras.front().find('='));
    if (name.starts_with("-")) {
      throw InputError(name, "compare has no such option" + config::did_you_mean(name, known) +
                                 " (see graphbench compare --help)");
    }
    throw InputError("compare", in_quotes(extras.front()) + " is one too many: give BASE and NEW");
  }
  check_sides(arguments);
}

}  // namespace graphbench::cli
