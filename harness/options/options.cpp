// Turns raw values into checked values. The plan checks values that depend on the device or the workloads.
#include "harness/options/options.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>

#include "graphs/base/text.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/options/example_steps.hpp"
#include "harness/options/numbers.hpp"
#include "harness/options/option_table.hpp"
#include "harness/options/raw_options.hpp"

namespace graphbench::options {
namespace {

// Returns the first executable `name` in PATH, or the absolute path if `name` is a path. "" if there is none.
std::string find_program(const std::string& name) {
  const auto runs = [](const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return runs(name) ? std::filesystem::absolute(name).string() : "";
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (runs(folder + "/" + name)) return folder + "/" + name;
  }
  return "";
}

SetOption set_option(const RawItem& item) {
  const std::size_t equals = item.text.find('=');
  const std::size_t dot = item.text.find('.');
  const bool shaped = equals != std::string::npos && dot != std::string::npos && dot > 0 && dot + 1 < equals;
  if (!shaped) {
    throw InputError(item.where,
                     in_quotes(item.text) + " is not WORKLOAD.KEY=VALUE: give e.g. mlp.hidden=2048");
  }
  SetOption option;
  option.workload = item.text.substr(0, dot);
  option.key = item.text.substr(dot + 1, equals - dot - 1);
  option.where = item.where;
  option.from_flag = item.where == "--set";
  const std::string given = item.text.substr(equals + 1);
  const ParsedInteger value = parse_integer(given);
  if (!given.empty() && std::ranges::all_of(given, [](char c) { return c >= 'a' && c <= 'z'; })) {
    option.word = given;
  } else if (value.fault != NumberFault::none) {
    throw InputError(item.where, in_quotes(item.text) +
                                     " does not have a whole number as value: give e.g. mlp.hidden=2048");
  }
  option.value = value.value;
  return option;
}

std::string flags_text(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "--" : i + 1 == names.size() ? " or --" : ", --") + names[i];
  return text;
}

void check_combinations(const RawOptions& raw, const SweepOptions& options) {
  const auto given = [&](const std::string& name) { return is_given(raw, *find_option(name)); };
  for (const OptionSpec& option : sweep_options()) {
    if (!is_given(raw, option)) continue;
    if (!option.needs.empty() && std::ranges::none_of(option.needs, given))
      throw InputError(options.where(option.name), "the option does nothing without " +
                                                       flags_text(option.needs) + ": give " +
                                                       flags_text(option.needs) + " too");
    for (const std::string& other : option.excludes) {
      if (given(other))
        throw InputError(options.where(other), "the option cannot be combined with --" + option.name +
                                                   ": leave one of the two options out");
    }
  }
}

// Reads an option by the type of its place.
struct Reader {
  const RawOptions& raw;
  const OptionSpec& option;
  SweepOptions& options;

  void operator()(Read read) const {
    if (read != nullptr) read(raw, options);
  }
  void operator()(Place<bool> place) const { place(options) = flag(raw, option.name); }
  void operator()(Place<std::int64_t> place) const {
    place(options) = integer(raw, option.name, 0, option.range);
  }
  void operator()(Place<std::optional<std::int64_t>> place) const {
    place(options) = integer(raw, option.name, 0, option.range);
  }
  void operator()(Place<double> place) const { place(options) = seconds(raw, option.name, 0); }
  void operator()(Place<std::string> place) const {
    place(options) =
        option.choices.empty() ? text_of(raw, option.name, "") : word_of(raw, option.name, option.choices);
  }
  void operator()(Place<std::vector<std::string>> place) const {
    place(options) = words(raw, option.name, option.noun);
  }
  void operator()(Place<std::vector<std::int64_t>> place) const {
    const std::vector<RawItem>& items = *find(raw, option.name);
    place(options) =
        parse_numbers(items.front().where, join(items, ",", &RawItem::text), {.noun = option.noun});
  }
};

bool lacks_a_value(const std::string& text) {
  const std::size_t equals = text.find('=');
  return equals == 0 || equals >= text.size() - 1;
}

// Checks values that exclude each other, or have no form of theirs.
void check_values(const SweepOptions& options) {
  if (!options.caller.tune_sizes.empty() && contains(options.axes.pass, "training"))
    throw InputError(options.where("tune-sizes"),
                     "in training, batch sizes cannot share library algorithms, because products for weight "
                     "gradients depend on the batch: give --pass forward");
  if (const auto inductor = options.axes.more_axes.find("torch-inductor");
      inductor != options.axes.more_axes.end()) {
    for (const std::string& value : inductor->second) {
      if (value != "none" && (contains(value, '/') || std::ranges::any_of(split(value, '+'), lacks_a_value)))
        throw InputError(options.where("torch-inductor"),
                         in_quotes(value) +
                             " is not KEY=VALUE, or KEY=VALUE+KEY=VALUE, without /: give e.g. "
                             "emulate_precision_casts=True");
    }
  }
  const auto io = options.axes.more_axes.find("io");
  if (options.caller.addresses == "fresh" && io != options.axes.more_axes.end() &&
      contains(io->second, "exec_per_set"))
    throw InputError(options.where("io-addresses"),
                     "--io exec_per_set needs addresses that repeat: give --io-addresses rotate");
}

std::optional<ShardOption> shard_option(const RawOptions& raw, const SweepOptions& so_far) {
  const std::vector<RawItem>* items = find(raw, "shard");
  if (items == nullptr) return std::nullopt;
  ShardOption shard = read_shard(items->back().where, items->back().text,
                                 [](const char* name) -> const char* { return std::getenv(name); });
  shard.replica = word_of(raw, "shard-by", {"task", "replica"}) == "replica";
  shard.costs = text_of(raw, "costs", "");
  if (shard.replica && !shard.costs.empty())
    throw InputError(so_far.where("costs"),
                     "with --shard-by replica every shard measures the whole plan: leave the option out");
  return shard;
}

}  // namespace

void read_device(const RawOptions& raw, SweepOptions& options) {
  options.device = text_of(raw, "device", "");
  const std::string& device = options.device;
  std::vector<std::string> words = model::names_of(model::device_kinds());
  words.insert(words.begin(), "auto");
  if (contains(words, device)) return;
  const bool numbered =
      (device.starts_with("cuda:") || device.starts_with("host:")) && device.size() > 5 &&
      device.size() <= 9 &&
      std::all_of(device.begin() + 5, device.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  if (numbered) return;
  throw InputError(
      options.where("device"),
      in_quotes(device) + " is not a device: give auto, cuda, cuda:N or host" + did_you_mean(device, words));
}

void read_plugins(const RawOptions& raw, SweepOptions& options) {
  for (const RawItem& item : raw.at("plugin")) {
    const std::unique_ptr<char, decltype(&free)> path(realpath(item.text.c_str(), nullptr), &free);
    if (!path) {
      throw InputError(item.where, in_quotes(item.text) + " cannot be opened: " + std::strerror(errno) +
                                       ": give the path of a plugin's shared library");
    }
    if (contains(options.plugins, path.get())) {
      throw InputError(item.where, in_quotes(item.text) + " is given twice: give each plugin once");
    }
    options.plugins.emplace_back(path.get());
  }
}

void read_set(const RawOptions& raw, SweepOptions& options) {
  for (const RawItem& item : raw.at("set")) {
    SetOption option = set_option(item);
    for (const SetOption& earlier : options.set) {
      if (earlier.workload == option.workload && earlier.key == option.key) {
        throw InputError(item.where, in_quotes(item.text) + " sets " + option.workload + "." + option.key +
                                         " a second time: give each key once");
      }
    }
    options.set.push_back(std::move(option));
  }
}

void read_sustained(const RawOptions& raw, SweepOptions& options) {
  options.instruments.sustained_seconds = seconds(raw, "sustained", 0);
  // Steady load is detected from two windows of 2 s each.
  if (*options.instruments.sustained_seconds >= 4) return;
  throw InputError(options.where("sustained"),
                   in_quotes(raw.at("sustained").back().text) +
                       " is too short for clock and power to become steady: give 4 seconds or more");
}

void read_no_pin(const RawOptions& raw, SweepOptions& options) {
  options.instruments.pin = !flag(raw, "no-pin");
}

void read_dump_graph(const RawOptions& raw, SweepOptions& options) {
  options.caller.dump_graph =
      std::filesystem::absolute(text_of(raw, "dump-graph", "")).lexically_normal().string();
}

void read_textfile(const RawOptions& raw, SweepOptions& options) {
  std::string& path = options.prometheus.textfile;
  path = text_of(raw, "prometheus-textfile", "");
  // The collector silently ignores files with other names.
  if (!path.ends_with(".prom"))
    throw InputError(options.where("prometheus-textfile"),
                     in_quotes(path) +
                         " is not a file that the node exporter's textfile collector reads: give a file that "
                         "ends in .prom");
}

// Refuses options for building programs, because those of a package are built.
void read_package(const RawOptions& raw, SweepOptions& options) {
  std::vector<std::string> said = {"workload", "dtype", "set", "shape-trace", "tune-sizes"};
  for (const model::Axis& axis : model::axes()) {
    if (!axis.passes.empty()) said.push_back(axis.name);
  }
  for (const std::string& name : said) {
    if (find(raw, name) != nullptr)
      throw InputError(options.where(name),
                       "the option is for building programs, but the programs of --package are already "
                       "built: leave one of the two options out");
  }
  model::PackageFiles& files = options.package;
  for (const auto& [name, path] : {std::pair{"package", &files.file}, {"weights", &files.weights}})
    *path = std::filesystem::absolute(text_of(raw, name, "")).lexically_normal().string();
  files.low_memory = word_of(raw, "low-memory", {"OFF", "ON"}) == "ON";
}

void read_torch(const RawOptions& raw, SweepOptions& options) {
  TorchStep& step = options.torch;
  const std::string text = text_of(raw, "torch", "");
  const std::size_t colon = text.rfind(':');
  step.function = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (step.function.empty())
    throw InputError(options.where("torch"),
                     in_quotes(text) + " does not name a function: give FILE.py:FUNCTION or example:NAME");
  std::string file = text.substr(0, colon);
  if (file == "example") {
    file = example_step(options.where("torch"), step.function).file;
    step.function = "build";
  }
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    throw InputError(options.where("torch"), in_quotes(file) + " is not a file: give FILE.py:FUNCTION");
  step.file = std::filesystem::canonical(file).string();
  const char* const launcher = std::getenv("GRAPHBENCH_PYTHON");  // set by the Python package's command
  const std::string python = text_of(raw, "python", launcher != nullptr ? launcher : "python3");
  step.python = find_program(python);
  if (step.python.empty())
    throw InputError(
        options.where("python"),
        in_quotes(python) + " is not an executable program: give a Python interpreter that has torch");
}

std::string SweepOptions::where(const std::string& name) const {
  const auto found = places.find(name);
  return found == places.end() ? "--" + name : found->second;
}

std::vector<std::string> SweepOptions::code_files() const {
  std::vector<std::string> files = plugins;
  if (torch.given()) files.push_back(torch.file);
  return files;
}

RawOptions with_default_plan(RawOptions given, const model::AxisTable& axes) {
  std::vector<std::string> deciding = {"grid", "torch", "package", "shape-trace"};
  for (const model::Axis& axis : axes) {
    if (!axis.says_what()) deciding.push_back(axis.name);
  }
  if (std::ranges::any_of(deciding, [&](const std::string& name) { return find(given, name) != nullptr; }))
    return given;
  given["grid"] = {{std::string(default_grid), "--grid"}};
  return given;
}

SweepOptions check_options(const RawOptions& given, const model::AxisTable& axes) {
  SweepOptions options;
  for (const auto& [name, items] : given) {
    const OptionSpec* const option = find_option(name);
    if (!items.empty() && (option == nullptr || is_given(given, *option)))
      options.places[name] = items.front().where;
  }
  check_combinations(given, options);
  options.shard = shard_option(given, options);
  RawOptions raw = given;
  if (options.shard) {
    const std::string shard =
        std::to_string(options.shard->index) + "-of-" + std::to_string(options.shard->count);
    raw = replaced(given, "{shard}", shard);
    options.json = "graphbench." + shard + ".json";
  }
  options.axes = read_axes(raw, axes);
  options.more_grids = read_grids(raw, axes);
  for (const OptionSpec& option : sweep_options()) {
    if (find(raw, option.name) != nullptr) std::visit(Reader{raw, option, options}, option.value);
  }
  options.instruments.trace = !options.trace.empty();
  options.instruments.profile = options.instruments.profile || options.instruments.trace;
  check_values(options);
  return options;
}

}  // namespace graphbench::options
