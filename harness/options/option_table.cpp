// The table of a sweep's options. `--config` is not in it, because a configuration file cannot name another
// one. A last `true` in a row marks a local option.
#include "harness/options/option_table.hpp"

#include <algorithm>

#include "harness/model/vocabulary.hpp"

namespace graphbench::config {
namespace {

OptionKind kind_of(model::AxisValues values) {
  switch (values) {
    case model::AxisValues::names:
    case model::AxisValues::choices:
      return OptionKind::words;
    case model::AxisValues::numbers:
      return OptionKind::numbers;
    case model::AxisValues::name:
      break;
  }
  return OptionKind::text;
}

// Options of the first seven axes belong to the plan. A later axis belongs to the topic of its passes.
OptionGroup group_of(const model::Axis& axis) {
  if (!axis.came_later()) return OptionGroup::plan;
  if (axis.passes == std::vector<std::string>{"training"}) return OptionGroup::training;
  if (axis.passes == std::vector<std::string>{std::string(model::of_its_own)}) return OptionGroup::torch;
  return OptionGroup::steps;
}

// All options except those of axes and of the machine.
std::vector<OptionSpec> other_options() {
  using enum OptionKind;
  using enum OptionGroup;
  return {
      {"set", plan, repeated, "KEY=VALUE", "override a size of a workload: mlp.hidden=2048 (repeatable)"},
      {"torch", torch, text, "FILE.py:FUNCTION",
       "run the step that a Python function builds, as PyTorch runs it, instead of workloads (docs/torch.md)",
       true},
      {"python", torch, text, "PATH", "the interpreter of --torch (default: python3)", true},
      {"split-ops", steps, words, "OP,...",
       "ops at which piecewise splits: kinds, or patterns of names such as *.conv2 (default: the workload's "
       "own; of --torch scaled_dot_product_attention)"},
      {"io-addresses", steps, text, "WHICH",
       "rotate: the caller's two sets come in turn; fresh: every step has other addresses (default: rotate)"},
      {"mutated-inputs", steps, text, "WHAT",
       "if --io copies an input that the program writes: refuse the cell, or copy_back within the step "
       "(default: refuse)"},
      {"on-skip", steps, text, "WHAT",
       "if graphs cannot hold a program, or the device refuses a capture: record the reason, or run the "
       "cell eager (default: record)"},
      {"capture-stream", steps, text, "WHOSE",
       "the stream that steps are captured and run on: own, or the device's default (default: own)"},
      {"tune-sizes", steps, numbers, "LIST",
       "batch sizes with library choices of their own; all others share one (default: every size)"},
      {"check-addresses", steps, flag, "",
       "compare the caller's addresses with the graphs' before every replay; one that moved fails the cell"},
      {"dump-program", plan, flag, "", "print each program and what each mode captures of it, and stop",
       true},
      {"dry-run", plan, flag, "", "print the number of cells and processes and the estimated time, and stop",
       true},
      {"launches", measuring, integer, "N",
       "worker processes per cell; 3 or more give intervals (default: 1; without any axis 3)", false, "",
       true},
      {"seed", measuring, integer, "N", "seed of the data and of the order (default: 1)"},
      {"time-per-cell", measuring, real, "SECONDS", "sampling time per cell at most (default: 0.15)"},
      {"samples-max", measuring, integer, "N", "samples per cell and pass at most (default: 2000)"},
      {"worker-timeout", measuring, real, "SECONDS",
       "end a worker that is silent for this long (default: 120)"},
      {"cache", measuring, text, "DIR|off",
       "keep library choices in this folder for later processes (default: GRAPHBENCH_PLAN_CACHE, else "
       "graphbench/plans in ~/.cache)",
       true},
      {"cold-l2", measuring, flag, "", "flush the device's last cache before every timed step"},
      {"sustained", measuring, real, "SECONDS",
       "afterwards, time each cell under load, once clock and power are steady; SECONDS is the limit "
       "(without it: 15)",
       false, "15"},
      {"evaluate", training, flag, "",
       "afterwards, run each training cell's forward program without gradients on the trained parameters"},
      {"profile", measuring, flag, "", "afterwards, record each cell's kernels, busy time and gaps"},
      {"json", results, text, "FILE",
       "where the result document goes; - for stdout (default: graphbench.json)", true, "", true},
      {"samples", results, text, "FILE.npz", "every sample in one file that numpy.load opens (default: none)",
       true},
      {"report", results, text, "FILE.html", "write the result as a page (default: none)", true},
      {"dump-graph", results, text, "DIR",
       "write each cell's graphs there, as DOT and JSON, and its program as it is split", true},
      {"trace", results, text, "FILE", "write the profiled steps as a Chrome trace (implies --profile)",
       true},
      {"quiet", results, flag, "", "no progress and no table", true},
      {"plugin", plugins, repeated, "FILE.so", "load the workloads of a plugin (repeatable)", true},
  };
}

std::vector<OptionSpec> prometheus_options() {
  using enum OptionKind;
  using enum OptionGroup;
  return {
      {"prometheus-listen", prometheus, text, "ADDR:PORT",
       "serve /metrics at this address while the sweep runs", true},
      {"prometheus-allow-remote", prometheus, flag, "",
       "allow --prometheus-listen an address that other machines reach", true},
      {"tls-certificate", prometheus, text, "FILE.pem",
       "serve https with this certificate, followed by its chain", true},
      {"tls-key", prometheus, text, "FILE.pem", "the certificate's key", true},
      {"linger", prometheus, real, "SECONDS",
       "keep serving /metrics for this long after the sweep (default: stop at once)", true},
      {"prometheus-textfile", prometheus, text, "FILE.prom",
       "keep the metrics in a file for the node exporter", true},
      {"prometheus-push", prometheus, text, "URL", "push the metrics to a Pushgateway when the sweep is done",
       true},
      {"push-grouping", prometheus, words, "KEY=VALUE,...", "grouping keys besides job and instance", true},
      {"push-delete", prometheus, flag, "", "delete what was pushed before exiting, after --linger", true},
      {"baseline", prometheus, text, "FILE",
       "publish the comparison of the sweep with this result, or folder of results", true},
      {"against", prometheus, text, "NAME",
       "instead of --baseline: the history's latest result of this branch, label or commit", true},
      {"history", prometheus, text, "FILE", "the history's file, for --against", true},
  };
}

std::vector<OptionSpec> shape_options() {
  using enum OptionKind;
  using enum OptionGroup;
  return {
      {"shape-trace", measuring, text, "FILE",
       "afterwards, once per task, walk the file's steps (batch size and sequence length per line) with a "
       "cache of programs",
       true},
      {"shape-programs", measuring, integer, "N", "the most programs that --shape-trace keeps (default: 8)",
       true},
      {"shape-recordings", measuring, integer, "N",
       "sizes of steps, over all programs, whose kernels and recordings --shape-trace keeps (default: 64)",
       true},
  };
}

std::vector<OptionSpec> package_options() {
  using enum OptionKind;
  using enum OptionGroup;
  return {
      {"package", packages, text, "FILE.gbp",
       "run a package of graphbench compile, instead of building workloads' programs", true},
      {"weights", packages, text, "FILE", "the weights of --package", true},
      {"low-memory", packages, text, "ON|OFF",
       "ON: the weights of --package pass through a buffer of 1 MiB, not of the largest tensor's size "
       "(default: OFF)",
       true},
  };
}

std::vector<OptionSpec> machine_options() {
  using enum OptionKind;
  using enum OptionGroup;
  return {
      {"device", machine, text, "DEVICE",
       "cuda, cuda:N, host; cuda:0,cuda:1 or all: in turn (default: cuda, else host)", false, "", true},
      {"concurrent", machine, flag, "", "measure several devices at one time; they share CPU, power and bus",
       true},
      {"shard", shards, text, "I/N",
       "measure part I of N of the plan; auto: the scheduler's variables say which part; {shard} in other "
       "options becomes I-of-N",
       true},
      {"shard-by", shards, text, "WHAT",
       "task: the shards divide the plan; replica: each shard measures all of it on its own GPU (default: "
       "task)",
       true},
      {"costs", shards, text, "FILE",
       "balance the shards by the times in this earlier result (default: by an estimate)", true},
      {"cpu", machine, integer, "N",
       "CPU of the submitting thread (default: the highest quiet one it may use)"},
      {"no-pin", machine, flag, "", "leave the submitting thread where the system puts it"},
  };
}

std::vector<OptionSpec> all_options() {
  std::vector<OptionSpec> options = axis_options(model::axes());
  options.push_back({"grid", OptionGroup::plan, OptionKind::repeated, "AXIS=VALUES ...",
                     "measure these cells too: the plan's cells with other values on the axes named here "
                     "(repeatable; without any axis: \"" +
                         std::string(default_grid) + "\")"});
  for (const std::vector<OptionSpec>& others :
       {package_options(), other_options(), prometheus_options(), shape_options(), machine_options()})
    options.insert(options.end(), others.begin(), others.end());
  std::ranges::stable_sort(options, {}, &OptionSpec::group);
  return options;
}

}  // namespace

const std::vector<OptionTopic>& option_topics() {
  using enum OptionGroup;
  static const std::vector<OptionTopic> topics = {
      {plan, "plan", "What is measured"},
      {steps, "steps", "How steps are built and captured"},
      {training, "training", "Training steps"},
      {torch, "torch", "Steps of PyTorch"},
      {packages, "packages", "Packages"},
      {measuring, "measuring", "How it is measured"},
      {results, "results", "Where results go"},
      {prometheus, "prometheus", "Prometheus"},
      {plugins, "plugins", "Plugins"},
      {machine, "machine", "Machine"},
      {shards, "shards", "Shards"},
  };
  return topics;
}

std::string_view title_of(OptionGroup group) noexcept {
  return option_topics().at(static_cast<std::size_t>(group)).title;
}

std::vector<OptionSpec> axis_options(const model::AxisTable& table) {
  std::vector<OptionSpec> options;
  for (const model::Axis& axis : table) {
    if (axis.placeholder.empty()) continue;
    options.push_back({axis.name, group_of(axis), kind_of(axis.values), axis.placeholder, axis.help});
    if (contains(axis.choices, "on") && axis.fallback == "off") options.back().alone = "on";
    options.back().brief = !axis.came_later();
  }
  return options;
}

const std::vector<OptionSpec>& sweep_options() {
  static const std::vector<OptionSpec> options = all_options();
  return options;
}

const OptionSpec* find_option(std::string_view name) {
  for (const OptionSpec& option : sweep_options()) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

std::vector<std::string> option_names() {
  return model::names_of(sweep_options());
}

}  // namespace graphbench::config
