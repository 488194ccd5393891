// CLI11 does the parsing; the options come from config's table, and errors become one line.
#include "harness/cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>

#include "harness/bench/flags.hpp"
#include "harness/cli/bench_options.hpp"
#include "harness/config/input_error.hpp"
#include "harness/config/option_table.hpp"
#include "harness/config/suggest.hpp"
#include "harness/config/toml_file.hpp"

namespace graphbench::cli {
namespace {

using config::in_quotes;
using config::InputError;
using config::OptionKind;
using config::OptionSpec;

constexpr const char* footer =
    "Lists are comma-separated; ranges are 1:256:x2 (geometric) or 8:64:+8 (arithmetic), ends included.\n"
    "Exit codes: 0 done; 1 internal or environment error; 2 bad usage or input; 3 some cells failed;\n"
    "130 interrupted (what was measured is kept). compare adds: 10 slower, 11 inconclusive with --strict,\n"
    "12 not comparable.\n";

// CLI11's own usage line would not say that --sweep is the main job.
class UsageFormatter final : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string) const override {
    if (app->get_name() == "compare") return "Usage: graphbench compare BASE NEW [options]\n";
    if (app->get_name() == "floor")
      return "Usage: graphbench floor [--device DEVICE] [--json FILE] [options]\n";
    if (app->get_name() == "bench")
      return "Usage: graphbench bench [options of --sweep] [--benchmark_NAME=VALUE]...\n";
    if (app->get_parent() != nullptr)
      return "Usage: graphbench list [workloads|devices|modes|presets] [options]\n";
    return "Usage: graphbench --sweep [options]\n       graphbench list [workloads|devices|modes|presets]\n"
           "       graphbench floor [--device DEVICE] [--json FILE]\n"
           "       graphbench bench [options of --sweep] [--benchmark_NAME=VALUE]...\n"
           "       graphbench compare BASE NEW [options]\n";
  }
};

// Where CLI11 puts what it parsed.
struct Parsed {
  bool sweep = false;
  bool version = false;
  std::string config_file;
  std::map<std::string, std::vector<std::string>> values;
  std::map<std::string, bool> flags;
  std::string list_what;
  std::vector<std::string> list_plugins;
  std::map<std::string, std::vector<std::string>> floor_values;
  std::map<std::string, bool> floor_flags;
  std::string bench_config_file;
  std::map<std::string, std::vector<std::string>> bench_values;
  std::map<std::string, bool> bench_flags;
  CompareArguments compare;
};

// Of the sweep's options, those that `floor` takes too.
const std::vector<std::string> floor_options = {"device", "json", "cpu", "no-pin", "worker-timeout", "quiet"};

// One instance: CLI11 wants its targets to stay where they are.
class CommandLine {
 public:
  CommandLine() : app_("graphbench: what CUDA graphs buy, at which batch size, at what cost", "graphbench") {
    app_.set_help_flag("-h,--help", "print this help and exit");
    app_.formatter(std::make_shared<UsageFormatter>());
    app_.footer(footer);
    app_.allow_extras();
    app_.add_flag("--version", parsed_.version, "print the version and exit");
    app_.add_flag("--sweep", parsed_.sweep, "run a sweep (the main job)");
    app_.add_option("--config", parsed_.config_file, "read options from a TOML file; flags win over it")
        ->type_name("FILE.toml");
    for (const OptionSpec& spec : config::sweep_options()) add(app_, spec, parsed_.values, parsed_.flags);
    list_ = app_.add_subcommand("list", "say what there is: workloads, devices, modes, presets");
    list_->allow_extras();
    list_->add_option("WHAT", parsed_.list_what, "workloads, devices, modes or presets (default: all)")
        ->type_name("");
    list_->add_option("--plugin", parsed_.list_plugins, "load the workloads of a plugin (repeatable)")
        ->type_name("FILE.so")
        ->expected(1)
        ->take_all();
    floor_ = app_.add_subcommand("floor", "measure what this machine can do at best");
    floor_->allow_extras();
    for (const std::string& name : floor_options)
      add(*floor_, *config::find_option(name), parsed_.floor_values, parsed_.floor_flags);
    add_bench();
    compare_ = &add_compare(app_, parsed_.compare);
  }

  Arguments parse(int argc, const char* const* argv) {
    Arguments arguments;
    arguments.argv.assign(argv, argv + argc);
    // Documents keep the command line; where the binary lay says nothing about the numbers.
    if (argc > 0) arguments.argv.front() = std::filesystem::path(argv[0]).filename().string();
    try {
      app_.parse(without_benchmark_flags(arguments));
    } catch (const CLI::CallForHelp&) {
      arguments.text = parsed_command().help();
      return arguments;
    } catch (const CLI::ParseError& error) {
      refuse(error);
    }
    if (compare_->parsed()) check_compare(*compare_, parsed_.compare);
    check_extras();
    if (!arguments.benchmark_flags.empty() && !bench_->parsed()) {
      throw InputError(arguments.benchmark_flags.front(), "it belongs to bench: graphbench bench ...");
    }
    if (parsed_.version) {
      arguments.command = Command::version;
    } else if (list_->parsed()) {
      fill_list(arguments);
    } else if (floor_->parsed()) {
      fill_floor(arguments);
    } else if (bench_->parsed()) {
      fill_bench(arguments);
    } else if (compare_->parsed()) {
      fill_compare(arguments);
    } else {
      fill_sweep(arguments);
    }
    return arguments;
  }

 private:
  // Google Benchmark's flags are its own; CLI11 takes the rest, last argument first.
  static std::vector<std::string> without_benchmark_flags(Arguments& arguments) {
    std::vector<std::string> rest;
    for (std::size_t i = 1; i < arguments.argv.size(); ++i) {
      const std::string& argument = arguments.argv[i];
      (bench::is_flag(argument) ? arguments.benchmark_flags : rest).push_back(argument);
    }
    std::ranges::reverse(rest);
    return rest;
  }

  void add_bench() {
    bench_ = app_.add_subcommand("bench", "run the cells in this process as a Google Benchmark program");
    bench_->allow_extras();
    bench_->add_option("--config", parsed_.bench_config_file, "read options from a TOML file")
        ->type_name("FILE.toml");
    for (const OptionSpec& spec : config::sweep_options()) {
      add(*bench_, spec, parsed_.bench_values, parsed_.bench_flags);
      // Still parsed, so that it can be refused by name.
      if (!is_bench_option(spec.name)) bench_->get_option("--" + spec.name)->group("");
    }
    bench_->footer("Google Benchmark's flags, among them:\n" + bench::flags_help());
  }

  static void add(CLI::App& app, const OptionSpec& spec,
                  std::map<std::string, std::vector<std::string>>& values,
                  std::map<std::string, bool>& flags) {
    if (spec.kind == OptionKind::flag) {
      app.add_flag("--" + spec.name, flags[spec.name], spec.help);
      return;
    }
    CLI::Option* option = app.add_option("--" + spec.name, values[spec.name], spec.help);
    option->type_name(spec.placeholder)->type_size(1)->expected(1);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);  // flags() says it better than CLI11
  }

  const CLI::App& parsed_command() const {
    for (const CLI::App* command : {list_, floor_, bench_, compare_}) {
      if (command->parsed()) return *command;
    }
    return app_;
  }

  [[noreturn]] static void refuse(const CLI::ParseError& error) {
    std::string text = error.what();
    for (char& c : text) c = c == '\n' || c == '\r' ? ' ' : c;
    throw InputError("", text + "; see graphbench --help");
  }

  void check_extras() {
    const std::vector<std::string> extras = app_.remaining(true);
    if (extras.empty()) return;
    const std::string& first = extras.front();
    if (first.starts_with("-")) {
      std::vector<std::string> known = {"--help", "--version", "--sweep", "--config"};
      for (const std::string& name : config::option_names()) known.push_back("--" + name);
      const std::string name = first.substr(0, first.find('='));
      throw InputError(
          name, "there is no such option" + config::did_you_mean(name, known) + " (see graphbench --help)");
    }
    throw InputError("", in_quotes(first) + " is not a command: give --sweep, list, floor, bench or compare" +
                             config::did_you_mean(first, {"list", "floor", "bench", "compare", "--sweep"}));
  }

  void fill_list(Arguments& arguments) {
    static const std::map<std::string, ListWhat> known = {{"", ListWhat::everything},
                                                          {"workloads", ListWhat::workloads},
                                                          {"devices", ListWhat::devices},
                                                          {"modes", ListWhat::modes},
                                                          {"presets", ListWhat::presets}};
    const auto found = known.find(parsed_.list_what);
    if (found == known.end()) {
      const std::vector<std::string> words = {"workloads", "devices", "modes", "presets"};
      throw InputError("list", in_quotes(parsed_.list_what) + " cannot be listed: give " +
                                   config::join(words) + config::did_you_mean(parsed_.list_what, words));
    }
    if (parsed_.sweep) throw InputError("list", "it cannot be combined with --sweep: give one of them");
    const config::RawOptions given = flags();
    if (!given.empty() && given.begin()->first != "plugin") {
      throw InputError("--" + given.begin()->first, "it belongs to --sweep, not to list");
    }
    arguments.command = Command::list;
    arguments.list = found->second;
    arguments.options = given;
    for (const std::string& plugin : parsed_.list_plugins) {
      arguments.options["plugin"].push_back({plugin, "--plugin"});
    }
  }

  void fill_floor(Arguments& arguments) {
    if (parsed_.sweep) throw InputError("floor", "it cannot be combined with --sweep: give one of them");
    const config::RawOptions misplaced = raw_of(parsed_.values, parsed_.flags);
    if (!misplaced.empty()) {
      throw InputError("--" + misplaced.begin()->first,
                       "it stands before floor: give floor's options after the word floor");
    }
    arguments.command = Command::floor;
    arguments.options = raw_of(parsed_.floor_values, parsed_.floor_flags);
  }

  void fill_bench(Arguments& arguments) {
    if (parsed_.sweep) throw InputError("bench", "it cannot be combined with --sweep: give one of them");
    const config::RawOptions misplaced = flags();
    if (!misplaced.empty() || !parsed_.config_file.empty()) {
      throw InputError("--" + (misplaced.empty() ? "config" : misplaced.begin()->first),
                       "it stands before bench: give bench's options after the word bench");
    }
    arguments.command = Command::bench;
    const bool from_file = bench_->count("--config") > 0;
    arguments.options =
        config::merge(from_file ? config::read_toml_file(parsed_.bench_config_file) : config::RawOptions(),
                      raw_of(parsed_.bench_values, parsed_.bench_flags));
  }

  void fill_compare(Arguments& arguments) {
    const config::RawOptions misplaced = flags();
    if (parsed_.sweep || !misplaced.empty()) {
      throw InputError("--" + (parsed_.sweep ? "sweep" : misplaced.begin()->first),
                       "it does not go with compare; see graphbench compare --help");
    }
    arguments.command = Command::compare;
    arguments.compare = parsed_.compare;
  }

  void fill_sweep(Arguments& arguments) {
    const config::RawOptions given = flags();
    if (!parsed_.sweep) {
      if (!given.empty())
        throw InputError("--" + given.begin()->first, "it needs --sweep: graphbench --sweep ...");
      if (!parsed_.config_file.empty())
        throw InputError("--config", "it needs --sweep: graphbench --sweep ...");
      throw InputError("",
                       "nothing to do: give --sweep, list, floor, bench or compare; see graphbench --help");
    }
    arguments.command = Command::sweep;
    const bool from_file = app_.count("--config") > 0;
    arguments.options =
        config::merge(from_file ? config::read_toml_file(parsed_.config_file) : config::RawOptions(), given);
  }

  config::RawOptions flags() const { return raw_of(parsed_.values, parsed_.flags); }

  static config::RawOptions raw_of(const std::map<std::string, std::vector<std::string>>& all_values,
                                   const std::map<std::string, bool>& all_flags) {
    config::RawOptions raw;
    for (const auto& [name, values] : all_values) {
      if (values.size() > 1 && config::find_option(name)->kind != OptionKind::repeated) {
        throw InputError("--" + name,
                         "it is given " + std::to_string(values.size()) + " times: give it once");
      }
      for (const std::string& value : values) raw[name].push_back({value, "--" + name});
    }
    for (const auto& [name, given] : all_flags) {
      if (given) raw[name].push_back({"true", "--" + name});
    }
    return raw;
  }

  CLI::App app_;
  CLI::App* list_ = nullptr;
  CLI::App* floor_ = nullptr;
  CLI::App* bench_ = nullptr;
  CLI::App* compare_ = nullptr;
  Parsed parsed_;
};

}  // namespace

Arguments parse_arguments(int argc, const char* const* argv) {
  CommandLine line;
  return line.parse(argc, argv);
}

}  // namespace graphbench::cli
