// CLI11 does the parsing; the options come from config's table, and errors become one line.
#include "harness/cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "harness/bench/flags.hpp"
#include "harness/cli/bench_options.hpp"
#include "harness/cli/option_set.hpp"
#include "harness/config/option_table.hpp"
#include "harness/config/suggest.hpp"
#include "harness/config/toml_file.hpp"
#include "harness/model/input_error.hpp"

namespace graphbench::cli {
namespace {

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
    static const std::map<std::string, const char*> others = {{"ab", "ab --base BINARY [--new BINARY]"},
                                                              {"selfcheck", "selfcheck"},
                                                              {"history", "history add|list|show"},
                                                              {"serve", "serve"},
                                                              {"add", "history add FILE..."},
                                                              {"show", "history show CELL"}};
    const auto other = others.find(app->get_name());
    if (other != others.end()) return std::string("Usage: graphbench ") + other->second + " [options]\n";
    if (app->get_parent() != nullptr && app->get_parent()->get_name() == "history")
      return "Usage: graphbench history list [options]\n";
    if (app->get_parent() != nullptr)
      return "Usage: graphbench list [workloads|devices|modes|presets] [options]\n";
    return "Usage: graphbench --sweep [options]\n       graphbench list [workloads|devices|modes|presets]\n"
           "       graphbench floor [--device DEVICE] [--json FILE]\n"
           "       graphbench bench [options of --sweep] [--benchmark_NAME=VALUE]...\n"
           "       graphbench compare BASE NEW [options]\n"
           "       graphbench ab --base BINARY [--new BINARY] [options]\n"
           "       graphbench selfcheck [options]\n"
           "       graphbench history add|list|show [options]\n"
           "       graphbench serve [--listen ADDR:PORT] [--state DIR] [--baseline FILE] [options]\n";
  }
};

// Where CLI11 puts what it parsed.
struct Parsed {
  bool sweep = false;
  bool version = false;
  std::string config_file;
  std::string list_what;
  std::vector<std::string> list_plugins;
  std::string bench_config_file;
  CompareArguments compare;
  ServeArguments serve;
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
    sweep_options_ = std::make_unique<OptionSet>(app_, config::option_names());
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
    floor_options_ = std::make_unique<OptionSet>(*floor_, floor_options);
    floor_->get_option("--json")->description(
        "where the floors go as a document; - for stdout (default: none)");
    add_bench();
    compare_ = &add_compare(app_, parsed_.compare);
    ab_ = std::make_unique<AbLine>(app_);
    history_ = std::make_unique<HistoryLine>(app_);
    serve_ = &add_serve(app_, parsed_.serve);
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
    ab_->check_refused();
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
    } else if (ab_->parsed() != nullptr) {
      check_nothing_before(ab_->parsed()->get_name());
      arguments.ab = ab_->arguments();
      arguments.command = arguments.ab.selfcheck ? Command::selfcheck : Command::ab;
    } else if (history_->parsed() != nullptr) {
      check_nothing_before("history");
      arguments.command = Command::history;
      arguments.history = history_->arguments();
    } else if (serve_->parsed()) {
      fill_serve(arguments);
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
    bench_options_ = std::make_unique<OptionSet>(*bench_, config::option_names());
    for (const std::string& name : config::option_names()) {
      // Still parsed, so that it can be refused by name.
      if (!is_bench_option(name)) bench_->get_option("--" + name)->group("");
    }
    bench_->footer("Google Benchmark's flags, among them:\n" + bench::flags_help());
  }

  const CLI::App& parsed_command() const {
    for (const CLI::App* command : {list_, floor_, bench_, compare_, serve_}) {
      if (command->parsed()) return *command;
    }
    if (ab_->parsed() != nullptr) return *ab_->parsed();
    return history_->parsed() != nullptr ? *history_->parsed() : app_;
  }

  // A command's options stand after its word; what stands before belongs to a sweep.
  void check_nothing_before(const std::string& command) {
    if (parsed_.sweep) throw InputError(command, "it cannot be combined with --sweep: give one of them");
    const config::RawOptions misplaced = flags();
    if (misplaced.empty() && parsed_.config_file.empty()) return;
    throw InputError(
        "--" + (misplaced.empty() ? "config" : misplaced.begin()->first),
        "it stands before " + command + ": give " + command + "'s options after the word " + command);
  }

  [[noreturn]] static void refuse(const CLI::ParseError& error) {
    std::string text = error.what();
    for (char& c : text) c = c == '\n' || c == '\r' ? ' ' : c;
    throw InputError("", text + "; see graphbench --help");
  }

  static std::vector<std::string> names_in(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
  }

  void check_extras() {
    const std::vector<std::string> extras = app_.remaining(true);
    if (extras.empty()) return;
    const std::string& first = extras.front();
    if (first.starts_with("-")) {
      std::vector<std::string> known = {"--help", "--version", "--sweep", "--config"};
      for (const std::string& name : config::option_names()) known.push_back("--" + name);
      if (serve_->parsed()) known = names_in(*serve_);
      const std::string name = first.substr(0, first.find('='));
      throw InputError(
          name, "there is no such option" + config::did_you_mean(name, known) + " (see graphbench --help)");
    }
    throw InputError(
        "",
        in_quotes(first) +
            " is not a command: give --sweep, list, floor, bench, compare, ab, selfcheck, history or serve" +
            config::did_you_mean(first, {"list", "floor", "bench", "compare", "ab", "selfcheck", "history",
                                         "serve", "--sweep"}));
  }

  void fill_list(Arguments& arguments) {
    using enum ListWhat;
    static const std::map<std::string, ListWhat> known = {{"", everything},
                                                          {"workloads", workloads},
                                                          {"devices", devices},
                                                          {"modes", modes},
                                                          {"presets", presets}};
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
    check_nothing_before("floor");
    arguments.command = Command::floor;
    arguments.options = floor_options_->raw();
  }

  void fill_bench(Arguments& arguments) {
    check_nothing_before("bench");
    arguments.command = Command::bench;
    const bool from_file = bench_->count("--config") > 0;
    arguments.options =
        config::merge(from_file ? config::read_toml_file(parsed_.bench_config_file) : config::RawOptions(),
                      bench_options_->raw());
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

  void fill_serve(Arguments& arguments) {
    if (parsed_.sweep) throw InputError("serve", "it cannot be combined with --sweep: give one of them");
    const config::RawOptions misplaced = flags();
    if (!misplaced.empty()) {
      throw InputError("--" + misplaced.begin()->first,
                       "it belongs to --sweep: requests to the service give it");
    }
    arguments.command = Command::serve;
    arguments.serve = parsed_.serve;
    check_serve(arguments.serve);
  }

  void fill_sweep(Arguments& arguments) {
    const config::RawOptions given = flags();
    if (!parsed_.sweep) {
      if (!given.empty())
        throw InputError("--" + given.begin()->first, "it needs --sweep: graphbench --sweep ...");
      if (!parsed_.config_file.empty())
        throw InputError("--config", "it needs --sweep: graphbench --sweep ...");
      throw InputError("",
                       "nothing to do: give --sweep, list, floor, bench, compare, ab, selfcheck, history "
                       "or serve; see graphbench --help");
    }
    arguments.command = Command::sweep;
    const bool from_file = app_.count("--config") > 0;
    arguments.options =
        config::merge(from_file ? config::read_toml_file(parsed_.config_file) : config::RawOptions(), given);
  }

  config::RawOptions flags() const { return sweep_options_->raw(); }

  CLI::App app_;
  CLI::App* list_ = nullptr;
  CLI::App* floor_ = nullptr;
  CLI::App* bench_ = nullptr;
  CLI::App* compare_ = nullptr;
  CLI::App* serve_ = nullptr;
  std::unique_ptr<AbLine> ab_;
  std::unique_ptr<HistoryLine> history_;
  std::unique_ptr<OptionSet> sweep_options_;
  std::unique_ptr<OptionSet> floor_options_;
  std::unique_ptr<OptionSet> bench_options_;
  Parsed parsed_;
};

}  // namespace

Arguments parse_arguments(int argc, const char* const* argv) {
  CommandLine line;
  return line.parse(argc, argv);
}

}  // namespace graphbench::cli
