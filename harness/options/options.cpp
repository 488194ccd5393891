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
#include "harness/options/numbers.hpp"
#include "harness/options/option_table.hpp"
#include "harness/options/raw_options.hpp"

namespace graphbench::config {
namespace {

std::optional<double> sustained_seconds(const RawOptions& raw) {
  const std::vector<RawItem>* items = find(raw, "sustained");
  if (items == nullptr) return std::nullopt;
  const double value = seconds(raw, "sustained", 0);
  // Steady load is detected from two windows of 2 s each.
  if (value >= 4) return value;
  throw InputError(items->back().where,
                   in_quotes(items->back().text) +
                       " is too short for clock and power to become steady: give 4 seconds or more");
}

void check_device(const RawOptions& raw, const std::string& device) {
  std::vector<std::string> words = model::names_of(model::device_kinds());
  words.insert(words.begin(), "auto");
  if (contains(words, device)) return;
  const bool numbered =
      (device.starts_with("cuda:") || device.starts_with("host:")) && device.size() > 5 &&
      device.size() <= 9 &&
      std::all_of(device.begin() + 5, device.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  if (numbered) return;
  throw InputError(
      raw.at("device").back().where,
      in_quotes(device) + " is not a device: give auto, cuda, cuda:N or host" + did_you_mean(device, words));
}

std::vector<std::string> plugin_files(const RawOptions& raw) {
  std::vector<std::string> paths;
  const std::vector<RawItem>* items = find(raw, "plugin");
  if (items == nullptr) return paths;
  for (const RawItem& item : *items) {
    const std::unique_ptr<char, decltype(&free)> path(realpath(item.text.c_str(), nullptr), &free);
    if (!path) {
      throw InputError(item.where, in_quotes(item.text) + " cannot be opened: " + std::strerror(errno) +
                                       ": give the path of a plugin's shared library");
    }
    if (contains(paths, path.get())) {
      throw InputError(item.where, in_quotes(item.text) + " is given twice: give each plugin once");
    }
    paths.emplace_back(path.get());
  }
  return paths;
}

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

TorchStep torch_step(const RawOptions& raw, const SweepOptions& so_far) {
  TorchStep step;
  const std::string text = text_of(raw, "torch", "");
  if (text.empty()) {
    if (find(raw, "python") != nullptr)
      throw InputError(so_far.where("python"),
                       "the option sets the interpreter for --torch: give --torch FILE.py:FUNCTION too");
    return step;
  }
  for (const char* other : {"plugin", "workload", "package", "set"}) {
    if (find(raw, other) != nullptr)
      throw InputError(so_far.where(other),
                       "a sweep of --torch runs only that step: leave one of the two options out");
  }
  const std::size_t colon = text.rfind(':');
  step.function = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (step.function.empty())
    throw InputError(so_far.where("torch"),
                     in_quotes(text) + " does not name a function: give FILE.py:FUNCTION");
  const std::string file = text.substr(0, colon);
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    throw InputError(so_far.where("torch"), in_quotes(file) + " is not a file: give FILE.py:FUNCTION");
  step.file = std::filesystem::canonical(file).string();
  const char* const launcher = std::getenv("GRAPHBENCH_PYTHON");  // set by the Python package's command
  const std::string python = text_of(raw, "python", launcher != nullptr ? launcher : "python3");
  step.python = find_program(python);
  if (step.python.empty())
    throw InputError(
        so_far.where("python"),
        in_quotes(python) + " is not an executable program: give a Python interpreter that has torch");
  return step;
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

std::vector<SetOption> set_options(const RawOptions& raw) {
  std::vector<SetOption> options;
  const std::vector<RawItem>* items = find(raw, "set");
  if (items == nullptr) return options;
  for (const RawItem& item : *items) {
    SetOption option = set_option(item);
    for (const SetOption& earlier : options) {
      if (earlier.workload == option.workload && earlier.key == option.key) {
        throw InputError(item.where, in_quotes(item.text) + " sets " + option.workload + "." + option.key +
                                         " a second time: give each key once");
      }
    }
    options.push_back(std::move(option));
  }
  return options;
}

bool has_any(const model::Axes& axes, const std::string& axis, const std::vector<std::string>& values) {
  const auto found = axes.more_axes.find(axis);
  if (found == axes.more_axes.end()) return false;
  return std::any_of(values.begin(), values.end(),
                     [&](const std::string& value) { return contains(found->second, value); });
}

// Reads the options of callers and captures. Refuses an option that would have no effect.
model::CallerOptions caller_options(const RawOptions& raw, const SweepOptions& so_far) {
  model::CallerOptions options;
  options.addresses = word_of(raw, "io-addresses", {"rotate", "fresh"});
  options.mutated_inputs = word_of(raw, "mutated-inputs", {"refuse", "copy_back"});
  options.on_skip = word_of(raw, "on-skip", {"record", "eager"});
  options.capture_stream = word_of(raw, "capture-stream", {"own", "default"});
  options.check_addresses = flag(raw, "check-addresses");
  if (const auto* sizes = find(raw, "tune-sizes")) {
    options.tune_sizes =
        parse_numbers(sizes->front().where, join(*sizes, ",", &RawItem::text), {.noun = "batch"});
    if (contains(so_far.axes.pass, "training"))
      throw InputError(
          so_far.where("tune-sizes"),
          "in training, batch sizes cannot share library algorithms, because products for weight "
          "gradients depend on the batch: give --pass forward");
  }
  options.dump_graph = text_of(raw, "dump-graph", "");
  if (!options.dump_graph.empty())
    options.dump_graph = std::filesystem::absolute(options.dump_graph).lexically_normal().string();
  const bool moves = options.check_addresses && options.addresses == "fresh";
  if (find(raw, "io-addresses") != nullptr && !moves && !so_far.axes.more_axes.contains("io"))
    throw InputError(so_far.where("io-addresses"),
                     "the option needs a caller with its own addresses: give --io too");
  if (options.addresses == "fresh" && has_any(so_far.axes, "io", {"exec_per_set"}))
    throw InputError(so_far.where("io-addresses"),
                     "--io exec_per_set needs addresses that repeat: give --io-addresses rotate");
  const std::vector<std::string> copy_inputs = {"copy_in", "copy_in_out", "copy_if_moved"};
  for (const auto& [name, forms] : {std::pair{"mutated-inputs", copy_inputs},
                                    {"io-source", model::axis_named("io-source").within.values}}) {
    if (find(raw, name) != nullptr && !has_any(so_far.axes, "io", forms))
      throw InputError(so_far.where(name), "the option applies only when values are copied: give --io " +
                                               join(forms, " or ") + " too");
  }
  return options;
}

// Reads the files of --package. Refuses options for building programs, because those of a package are built.
model::PackageFiles package_files(const RawOptions& raw, const SweepOptions& so_far,
                                  const model::AxisTable& table) {
  model::PackageFiles files;
  if (find(raw, "package") == nullptr) {
    for (const char* name : {"weights", "low-memory"}) {
      if (find(raw, name) != nullptr)
        throw InputError(so_far.where(name), "the option needs a package: give --package FILE.gbp too");
    }
    return files;
  }
  if (find(raw, "weights") == nullptr)
    throw InputError(so_far.where("package"),
                     "a package's weights are in a separate file: give --weights FILE too");
  std::vector<std::string> said = {"workload", "dtype", "set", "shape-trace", "tune-sizes"};
  for (const model::Axis& axis : table) {
    if (!axis.passes.empty()) said.push_back(axis.name);
  }
  for (const std::string& name : said) {
    if (find(raw, name) != nullptr)
      throw InputError(so_far.where(name),
                       "the option is for building programs, but the programs of --package are already "
                       "built: leave one of the two options out");
  }
  for (const auto& [name, path] : {std::pair{"package", &files.file}, {"weights", &files.weights}})
    *path = std::filesystem::absolute(text_of(raw, name, "")).lexically_normal().string();
  files.low_memory = word_of(raw, "low-memory", {"OFF", "ON"}) == "ON";
  return files;
}

std::optional<ShardOption> shard_option(const RawOptions& raw, const SweepOptions& so_far) {
  const std::vector<RawItem>* items = find(raw, "shard");
  if (items == nullptr) {
    for (const char* name : {"shard-by", "costs"}) {
      if (find(raw, name) != nullptr)
        throw InputError(so_far.where(name), "the option applies only to shards: give --shard I/N too");
    }
    return std::nullopt;
  }
  ShardOption shard = read_shard(items->back().where, items->back().text,
                                 [](const char* name) -> const char* { return std::getenv(name); });
  shard.replica = word_of(raw, "shard-by", {"task", "replica"}) == "replica";
  shard.costs = text_of(raw, "costs", "");
  if (shard.replica && !shard.costs.empty())
    throw InputError(so_far.where("costs"),
                     "with --shard-by replica every shard measures the whole plan: leave the option out");
  return shard;
}

PrometheusOptions prometheus_options(const RawOptions& raw) {
  PrometheusOptions options;
  options.listen = text_of(raw, "prometheus-listen", "");
  options.allow_remote = flag(raw, "prometheus-allow-remote");
  options.tls = {text_of(raw, "tls-certificate", ""), text_of(raw, "tls-key", "")};
  options.linger_seconds = seconds(raw, "linger", 0);
  options.textfile = text_of(raw, "prometheus-textfile", "");
  options.push = text_of(raw, "prometheus-push", "");
  options.grouping = words(raw, "push-grouping", "grouping key");
  options.push_delete = flag(raw, "push-delete");
  options.baseline = text_of(raw, "baseline", "");
  options.against = text_of(raw, "against", "");
  options.history = text_of(raw, "history", "");
  return options;
}

}  // namespace

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
    if (!axis.fallback.empty()) deciding.push_back(axis.name);
  }
  if (std::ranges::any_of(deciding, [&](const std::string& name) { return find(given, name) != nullptr; }))
    return given;
  given["grid"] = {{std::string(default_grid), "--grid"}};
  if (find(given, "launches") == nullptr) given["launches"] = {{"3", "--launches"}};
  return given;
}

SweepOptions check_options(const RawOptions& given, const model::AxisTable& axes) {
  SweepOptions options;
  for (const auto& [name, items] : given) {
    if (!items.empty()) options.places[name] = items.front().where;
  }
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
  options.device = text_of(raw, "device", options.device);
  check_device(raw, options.device);
  options.launches = integer(raw, "launches", 1, {1, 10'000});
  options.json = text_of(raw, "json", options.json);
  options.samples = text_of(raw, "samples", options.samples);
  options.plugins = plugin_files(raw);
  options.set = set_options(raw);
  options.split_ops = words(raw, "split-ops", "op");
  options.seed = integer(raw, "seed", 1, {0, INT64_MAX});
  options.sampling.seconds_max = seconds(raw, "time-per-cell", options.sampling.seconds_max);
  options.sampling.samples_max = integer(raw, "samples-max", options.sampling.samples_max, {1, 10'000'000});
  options.worker_timeout_seconds = seconds(raw, "worker-timeout", options.worker_timeout_seconds);
  options.instruments.pin = !flag(raw, "no-pin");
  if (find(raw, "cpu") != nullptr) {
    options.instruments.cpu = integer(raw, "cpu", 0, {0, 1023});
    if (!options.instruments.pin) {
      throw InputError(options.where("cpu"),
                       "the option cannot be combined with --no-pin: give one of the two");
    }
  }
  options.cache = text_of(raw, "cache", "");
  options.caller = caller_options(raw, options);
  options.package = package_files(raw, options, axes);
  options.torch = torch_step(raw, options);
  options.trace = text_of(raw, "trace", "");
  options.instruments.cold_l2 = flag(raw, "cold-l2");
  options.instruments.evaluate = flag(raw, "evaluate");
  if (options.instruments.evaluate && std::ranges::count(options.axes.pass, "training") == 0)
    throw InputError(options.where("evaluate"),
                     "the option applies only to training: give --pass training too");
  options.instruments.shape_trace = shape_trace(raw);
  options.instruments.sustained_seconds = sustained_seconds(raw);
  options.instruments.trace = !options.trace.empty();
  options.instruments.profile = flag(raw, "profile") || options.instruments.trace;
  options.prometheus = prometheus_options(raw);
  options.quiet = flag(raw, "quiet");
  options.dump_program = flag(raw, "dump-program");
  options.dry_run = flag(raw, "dry-run");
  return options;
}

}  // namespace graphbench::config
