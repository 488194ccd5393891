// Both commands measure launches of a sweep side by side, so both take what describes a sweep.
#include "harness/cli/ab_arguments.hpp"

#include <CLI/CLI.hpp>

#include "harness/cli/option_set.hpp"
#include "harness/config/numbers.hpp"
#include "harness/config/suggest.hpp"
#include "harness/config/toml_file.hpp"
#include "harness/model/input_error.hpp"
#include "harness/verdict/ab/sub_sweep.hpp"

namespace graphbench::cli {
namespace {

constexpr const char* launches_default = "5";
constexpr std::int64_t rounds_max = 1000;

constexpr const char* ab_footer =
    "Launches of the two sides alternate (ABBA), so that what drifts meets both alike; --launches is a side\n"
    "and 5 by default. Exit codes: those of compare, and 130 interrupted (what was measured is kept).\n";
constexpr const char* selfcheck_footer =
    "Measures this binary against itself. Exit codes: 0 done; 2 bad usage or input; 3 some cells failed;\n"
    "130 interrupted (whole rounds are kept). docs/comparing.md says how the rounds are formed.\n";

std::int64_t rounds_of(const std::string& text) {
  const config::ParsedInteger parsed = config::parse_integer(text);
  if (parsed.fault == config::NumberFault::none && parsed.value >= 1 && parsed.value <= rounds_max)
    return parsed.value;
  throw InputError("--rounds",
                   in_quotes(text) + " is no number of rounds: give 1 to " + std::to_string(rounds_max));
}

bool is_by_cell(const std::string& text) {
  static const std::vector<std::string> words = {"ladder", "cell"};
  if (text == words.front() || text == words.back()) return text == words.back();
  throw InputError("--alternate", in_quotes(text) + " is neither ladder nor cell: give one of them" +
                                      config::did_you_mean(text, words));
}

[[noreturn]] void refuse(const CLI::App& command, const std::string& where) {
  throw InputError(where,
                   command.get_name() + " does not take it: leave it out" +
                       (command.get_name() == "ab" ? " (--json-base and --json-new name its results)" : ""));
}

}  // namespace

struct AbLine::Impl {
  CLI::App* ab = nullptr;
  CLI::App* selfcheck = nullptr;
  std::unique_ptr<OptionSet> ab_sweep;
  std::unique_ptr<OptionSet> selfcheck_sweep;
  AbArguments given;
  std::string config_file;
  std::string rounds = "4";
  std::string alternate = "ladder";

  // A sweep's help says 1.
  static void name_launches(CLI::App& command) {
    command.get_option("--launches")
        ->description(std::string("worker processes a cell and side (default: ") + launches_default + ")");
  }

  void add_config(CLI::App& command) {
    command.allow_extras();
    add_text(command, "--config", config_file, "read a sweep's options from a TOML file; flags win over it",
             "FILE.toml");
  }

  void add_alternate(CLI::App& command) {
    add_text(command, "--alternate", alternate,
             "sides take turns with each ladder of batches, or with each cell (default: ladder)",
             "ladder|cell");
  }

  void make_ab(CLI::App& app) {
    ab = app.add_subcommand("ab",
                            "measure two binaries or environments side by side, and say what became slower");
    ab->footer(ab_footer);
    add_text(*ab, "--base", given.base, "the graphbench before (default: this one)", "BINARY");
    add_text(*ab, "--new", given.now, "the graphbench after (default: this one)", "BINARY");
    const auto variables = [&](const char* name, std::vector<std::string>& target, const char* help) {
      ab->add_option(name, target, help)->type_name("NAME=VALUE")->expected(1)->take_all();
    };
    variables("--env-a", given.base_environment, "an environment variable of BASE (repeatable)");
    variables("--env-b", given.new_environment, "an environment variable of NEW (repeatable)");
    add_text(*ab, "--json-base", given.json_base, "BASE's result (default: graphbench-base.json)", "FILE");
    add_text(*ab, "--json-new", given.json_new, "NEW's result (default: graphbench-new.json)", "FILE");
    add_alternate(*ab);
    ab->add_flag("--confirm", given.confirm, "measure what came out slower again before the word is said");
    add_verdict_options(*ab, given.verdict);
    add_config(*ab);
    ab_sweep = std::make_unique<OptionSet>(*ab, options_without(ab::refused_options()));
    name_launches(*ab);
  }

  void make_selfcheck(CLI::App& app) {
    selfcheck =
        app.add_subcommand("selfcheck", "how often these settings cry wolf here, and what they would find");
    selfcheck->footer(selfcheck_footer);
    const auto add = [&](const char* name, std::string& target, const char* help, const char* placeholder) {
      add_text(*selfcheck, name, target, help, placeholder);
    };
    add("--rounds", rounds, "comparisons of this binary with itself (default: 4)", "N");
    add_alternate(*selfcheck);
    add("--json", given.json, "where the findings go as JSON; - for stdout", "FILE");
    add("--margin", given.verdict.margin, "as in compare (2%); launches are advised for it", "LIST");
    add("--floor", given.verdict.floor, "as in compare (200ns)", "LIST");
    add("--alpha", given.verdict.alpha, "as in compare (0.05)", "RATE");
    add_config(*selfcheck);
    selfcheck_sweep = std::make_unique<OptionSet>(*selfcheck, options_without(ab::refused_options()));
    name_launches(*selfcheck);
  }
};

AbLine::AbLine(CLI::App& app) : impl_(std::make_unique<Impl>()) {
  impl_->make_ab(app);
  impl_->make_selfcheck(app);
}

AbLine::~AbLine() = default;

CLI::App* AbLine::parsed() const {
  if (impl_->ab->parsed()) return impl_->ab;
  return impl_->selfcheck->parsed() ? impl_->selfcheck : nullptr;
}

void AbLine::check_refused() const {
  const CLI::App* command = parsed();
  if (command == nullptr) return;
  for (const std::string& extra : command->remaining()) {
    for (const std::string& name : ab::refused_options()) {
      if (extra == "--" + name || extra.starts_with("--" + name + "=")) refuse(*command, "--" + name);
    }
  }
}

AbArguments AbLine::arguments() const {
  const CLI::App& command = *parsed();
  AbArguments arguments = impl_->given;
  arguments.selfcheck = impl_->selfcheck->parsed();
  check_given_once(command, {{"--env-a", "--env-b", "--plugin", "--set"}, {}});
  const config::RawOptions flags = (arguments.selfcheck ? impl_->selfcheck_sweep : impl_->ab_sweep)->raw();
  const bool from_file = command.count("--config") > 0;
  arguments.sweep =
      config::merge(from_file ? config::read_toml_file(impl_->config_file) : config::RawOptions(), flags);
  for (const std::string& name : ab::refused_options()) {
    const auto found = arguments.sweep.find(name);
    if (found != arguments.sweep.end()) refuse(command, found->second.front().where);
  }
  if (!arguments.sweep.contains("launches"))
    arguments.sweep["launches"].push_back({launches_default, "--launches"});
  arguments.cell_processes = is_by_cell(impl_->alternate);
  arguments.rounds = rounds_of(impl_->rounds);
  if (arguments.selfcheck) return arguments;
  if (arguments.base.empty() && arguments.now.empty() && arguments.base_environment.empty() &&
      arguments.new_environment.empty()) {
    throw InputError("ab", "both sides are the same: give --base or --new, or --env-a or --env-b");
  }
  return arguments;
}

}  // namespace graphbench::cli
