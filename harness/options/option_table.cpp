// Makes the table of a sweep's options. `--config` is not in the table, because a configuration file cannot
// name another one. `true` after the help text marks a local option (OptionSpec::local).
#include "harness/options/option_table.hpp"

#include <algorithm>

#include "graphs/base/text.hpp"
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

OptionGroup group_of(const model::Axis& axis) {
  if (!axis.came_later()) return OptionGroup::plan;
  if (axis.passes == std::vector<std::string>{"training"}) return OptionGroup::training;
  if (axis.passes == std::vector<std::string>{std::string(model::of_its_own)}) return OptionGroup::torch;
  return OptionGroup::steps;
}

// A namespace, because the enumerators share names with functions of this room.
namespace table {

using enum OptionKind;
using enum OptionGroup;

const std::vector<OptionSpec> own_options = {
    {"package", packages, text, "FILE.gbp",
     "run a package that graphbench compile wrote, instead of building the workloads' programs", true},
    {"weights", packages, text, "FILE", "the weights file for --package", true},
    {"low-memory", packages, text, "ON|OFF",
     "ON: load the weights of --package through a host buffer of 1 MiB, instead of one as large as the "
     "largest tensor "
     "(default: OFF)",
     true},
    {"set", plan, repeated, "KEY=VALUE", "override a size of a workload: mlp.hidden=2048 (repeatable)"},
    {"torch", torch, text, "FILE.py:FUNCTION",
     "run the step that a Python function builds, as PyTorch runs it, instead of workloads "
     "(docs/torch.md); example:NAME is a step of \"graphbench list steps\"",
     true},
    {"python", torch, text, "PATH",
     "the Python interpreter for --torch (default: python3, or the one that graphbench is installed in)",
     true},
    {"split-ops", steps, words, "OP,...",
     "ops at which mode piecewise splits: kinds, or name patterns such as *.conv2 (default: the workload's "
     "own; for --torch scaled_dot_product_attention)"},
    {"io-addresses", steps, text, "WHICH",
     "rotate: the caller alternates between two sets of addresses; fresh: every step has new addresses "
     "(default: rotate)"},
    {"mutated-inputs", steps, text, "WHAT",
     "action if --io copies an input that the program writes to. refuse: refuse the cell; copy_back: copy "
     "the input back within the step (default: refuse)"},
    {"on-skip", steps, text, "WHAT",
     "action if a program cannot be captured. record: record the reason; eager: run the cell in mode "
     "eager (default: record)"},
    {"capture-stream", steps, text, "WHOSE",
     "stream on which steps are captured and run. own: a stream of graphbench's own; default: the device's "
     "default stream (default: own)"},
    {"tune-sizes", steps, numbers, "LIST",
     "batch sizes for which library algorithms are chosen separately; all other sizes share their choices "
     "(default: every size is separate)"},
    {"check-addresses", steps, flag, "",
     "before every replay, check that the graph has the caller's addresses; a moved address fails the "
     "cell"},
    {"dump-program", plan, flag, "", "print each program and the ops that each mode captures, and stop",
     true},
    {"dry-run", plan, flag, "", "print the number of cells and processes and the estimated time, and stop",
     true},
    {"launches", measuring, integer, "N",
     "worker processes per cell; 3 or more give intervals (default: 1; 3 if no axis is given)", false, "",
     true},
    {"seed", measuring, integer, "N", "random seed of the data and of the order (default: 1)"},
    {"time-per-cell", measuring, real, "SECONDS", "maximum sampling time per cell (default: 0.15)"},
    {"samples-max", measuring, integer, "N", "maximum number of samples per cell and pass (default: 2000)"},
    {"worker-timeout", measuring, real, "SECONDS",
     "end a worker that is silent for this long (default: 120)"},
    {"cache", measuring, text, "DIR|off",
     "keep library choices in this folder for later processes (default: GRAPHBENCH_PLAN_CACHE, else "
     "graphbench/plans in ~/.cache)",
     true},
    {"cold-l2", measuring, flag, "", "flush the device's last-level cache before every timed step"},
    {"sustained", measuring, real, "SECONDS",
     "after the timing, time each cell under load when clock and power are steady; SECONDS is the time "
     "limit "
     "(without SECONDS: 15)",
     false, "15"},
    {"evaluate", training, flag, "",
     "after the timing, run each training cell's forward program, without gradients, with the trained "
     "parameters"},
    {"profile", measuring, flag, "", "after the timing, record each cell's kernels, busy time and gaps"},
    {"json", results, text, "FILE",
     "write the result document to FILE; - for stdout (default: graphbench.json)", true, "", true},
    {"samples", results, text, "FILE.npz", "write every sample to a file for numpy.load (default: none)",
     true},
    {"report", results, text, "FILE.html", "write the result as an HTML page (default: none)", true},
    {"dump-graph", results, text, "DIR",
     "write each cell's graphs to DIR as DOT and JSON, and the cell's program with its splits", true},
    {"trace", results, text, "FILE", "write the profiled steps as a Chrome trace (implies --profile)", true},
    {"quiet", results, flag, "", "do not print progress or the table", true},
    {"plugin", plugins, repeated, "FILE.so", "load the workloads of a plugin (repeatable)", true},
    {"prometheus-listen", prometheus, text, "ADDR:PORT",
     "serve /metrics at this address while the sweep runs", true},
    {"prometheus-allow-remote", prometheus, flag, "",
     "allow a --prometheus-listen address that other machines can reach", true},
    {"tls-certificate", prometheus, text, "FILE.pem",
     "serve https with this file: the certificate, then its chain", true},
    {"tls-key", prometheus, text, "FILE.pem", "the certificate's key", true},
    {"linger", prometheus, real, "SECONDS",
     "keep serving /metrics for this long after the sweep (default: stop at once)", true},
    {"prometheus-textfile", prometheus, text, "FILE.prom",
     "write the metrics to a file for the node exporter", true},
    {"prometheus-push", prometheus, text, "URL", "push the metrics to a Pushgateway when the sweep is done",
     true},
    {"push-grouping", prometheus, words, "KEY=VALUE,...",
     "grouping keys for the Pushgateway, in addition to job and instance", true},
    {"push-delete", prometheus, flag, "", "delete the pushed metrics before exiting, after --linger", true},
    {"baseline", prometheus, text, "FILE",
     "compare the sweep with this result, or folder of results, and publish the comparison", true},
    {"against", prometheus, text, "NAME",
     "use the history's latest result of this branch, label or commit as --baseline", true},
    {"history", prometheus, text, "FILE", "the history file for --against", true},
    {"shape-trace", measuring, text, "FILE",
     "after the timing, once per task, run the steps that the file lists (batch size and sequence length "
     "per line) with a cache of programs",
     true},
    {"shape-programs", measuring, integer, "N",
     "maximum number of programs that --shape-trace keeps (default: 8)", true},
    {"shape-recordings", measuring, integer, "N",
     "maximum number of recordings that --shape-trace keeps, over all its programs (default: 64)", true},
    {"device", machine, text, "DEVICE",
     "cuda, cuda:N or host; cuda:0,cuda:1 or all: in turn (default: cuda; host without a GPU)", false, "",
     true},
    {"concurrent", machine, flag, "",
     "measure several devices at the same time; they share CPU, power and bus", true},
    {"shard", shards, text, "I/N",
     "measure part I of N of the plan; auto: take I and N from the scheduler's variables; {shard} in other "
     "options becomes I-of-N",
     true},
    {"shard-by", shards, text, "WHAT",
     "task: the shards divide the plan; replica: each shard measures the whole plan on its own GPU "
     "(default: "
     "task)",
     true},
    {"costs", shards, text, "FILE",
     "balance the shards by the times in an earlier result (default: by an estimate)", true},
    {"cpu", machine, integer, "N",
     "CPU of the submitting thread (default: the highest quiet CPU that this process may use)"},
    {"no-pin", machine, flag, "", "let the system choose the CPU of the submitting thread"},
};

}  // namespace table

std::vector<OptionSpec> all_options() {
  std::vector<OptionSpec> options = axis_options(model::axes());
  options.push_back({"grid", OptionGroup::plan, OptionKind::repeated, "AXIS=VALUES ...",
                     "also measure the plan's cells with these values on the named axes "
                     "(repeatable; default, if no axis is given: \"" +
                         std::string(default_grid) + "\")"});
  options.insert(options.end(), table::own_options.begin(), table::own_options.end());
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
    options.push_back(
        {axis.name, group_of(axis), kind_of(axis.values), axis.placeholder, axis.help, axis.local});
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
