// The table of options, without `--config`, because a configuration file names no other. Last `true`: local.
#include "harness/options/option_table.hpp"

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

// All but the axes and the machine.
std::vector<OptionSpec> other_options() {
  using enum OptionKind;
  using enum OptionGroup;
  return {
      {"set", what, repeated, "KEY=VALUE", "override a size of a workload: mlp.hidden=2048 (repeatable)"},
      {"torch", what, text, "FILE.py:FUNCTION",
       "run the step that a Python function builds, as PyTorch runs it, instead of workloads (docs/torch.md)",
       true},
      {"python", what, text, "PATH", "the interpreter of --torch (default: python3)", true},
      {"split-ops", what, words, "OP,...",
       "ops at which piecewise splits: kinds, or patterns of names such as *.conv2 (default: the workload's "
       "own; of --torch scaled_dot_product_attention)"},
      {"io-addresses", what, text, "WHICH",
       "rotate: the caller's two sets come in turn; fresh: every step has other addresses (default: rotate)"},
      {"mutated-inputs", what, text, "WHAT",
       "where --io copies an input that the program writes: refuse, or copy_back (default: refuse)"},
      {"on-skip", what, text, "WHAT",
       "where graphs cannot hold a program: record why, or run the cell eager (default: record)"},
      {"capture-stream", what, text, "WHOSE",
       "the stream that steps are captured and run on: own, or the device's default (default: own)"},
      {"dump-program", what, flag, "", "print each program and what each mode captures of it, and stop",
       true},
      {"launches", how, integer, "N", "worker processes per cell (default: 1; 3 where no axis is given)"},
      {"seed", how, integer, "N", "seed of the data and of the order (default: 1)"},
      {"time-per-cell", how, real, "SECONDS", "sampling time a cell at most (default: 0.15)"},
      {"samples-max", how, integer, "N", "samples a cell and pass at most (default: 2000)"},
      {"worker-timeout", how, real, "SECONDS", "how long a worker may be silent (default: 120)"},
      {"cache", how, text, "DIR|off",
       "keep there what takes long to choose or make, for later processes (default: GRAPHBENCH_PLAN_CACHE, "
       "else graphbench/plans in ~/.cache)",
       true},
      {"cold-l2", how, flag, "", "flush the device's last cache before every timed step"},
      {"sustained", how, real, "SECONDS",
       "then time each cell under load too, once clock and power are steady; so long at most (alone: 15)",
       false, "15"},
      {"evaluate", how, flag, "",
       "then run each training cell's forward program, without gradients, on the parameters it has left"},
      {"profile", how, flag, "", "afterwards, record each cell's kernels, busy time and gaps"},
      {"json", where, text, "FILE", "where the result document goes; - for stdout (default: graphbench.json)",
       true},
      {"samples", where, text, "FILE.npz", "every sample in one file that numpy.load opens (default: none)",
       true},
      {"dump-graph", where, text, "DIR",
       "write each cell's graphs there, as DOT and JSON, and its program as it is split", true},
      {"trace", where, text, "FILE", "write the profiled steps as a Chrome trace (implies --profile)", true},
      {"prometheus-listen", where, text, "ADDR:PORT",
       "serve /metrics there while the sweep runs (default: not)", true},
      {"prometheus-allow-remote", where, flag, "",
       "let --prometheus-listen take an address other machines reach", true},
      {"tls-certificate", where, text, "FILE.pem",
       "serve https, with this certificate and what leads to its root", true},
      {"tls-key", where, text, "FILE.pem", "its key", true},
      {"linger", where, real, "SECONDS", "go on serving /metrics for so long after the sweep (default: not)",
       true},
      {"prometheus-textfile", where, text, "FILE.prom", "keep the metrics in a file for the node exporter",
       true},
      {"prometheus-push", where, text, "URL", "push the metrics to a Pushgateway when the sweep is done",
       true},
      {"push-grouping", where, words, "KEY=VALUE,...", "further grouping keys, beside job and instance",
       true},
      {"push-delete", where, flag, "", "delete what was pushed before exiting, after --linger", true},
      {"baseline", where, text, "FILE",
       "publish how the sweep compares with this result, or folder of results", true},
      {"against", where, text, "NAME",
       "instead of --baseline: the latest of this branch, label or commit in the history", true},
      {"history", where, text, "FILE", "the history's file, for --against", true},
      {"quiet", where, flag, "", "no progress and no table", true},
      {"plugin", plugins, repeated, "FILE.so", "load the workloads of a plugin (repeatable)", true},
  };
}

std::vector<OptionSpec> shape_options() {
  using enum OptionKind;
  using enum OptionGroup;
  return {
      {"shape-trace", how, text, "FILE",
       "then, once per task, walk the file's steps (a batch size and sequence length a line) with a cache of "
       "programs",
       true},
      {"shape-programs", how, integer, "N", "programs that --shape-trace keeps at most (default: 8)", true},
      {"shape-recordings", how, integer, "N",
       "sizes of steps, of all programs, whose kernels and recording it keeps at most (default: 64)", true},
  };
}

std::vector<OptionSpec> package_options() {
  using enum OptionKind;
  using enum OptionGroup;
  return {
      {"package", what, text, "FILE.gbp",
       "run what graphbench compile made, instead of building workloads' programs", true},
      {"weights", what, text, "FILE", "the weights of --package", true},
      {"low-memory", what, text, "ON|OFF",
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
       "auto, cuda, cuda:N, host; several (cuda:0,cuda:1) or all: one after the other (default: cuda if one "
       "works, else host)"},
      {"concurrent", machine, flag, "", "measure several devices at one time; they share CPU, power and bus",
       true},
      {"shard", machine, text, "I/N",
       "measure part I of N of the plan; auto: which one the scheduler's variables say; {shard} in other "
       "options becomes I-of-N",
       true},
      {"shard-by", machine, text, "WHAT",
       "task: the shards divide the plan; replica: each measures all of it on its own GPU (default: task)",
       true},
      {"costs", machine, text, "FILE",
       "balance the shards by what this earlier result took (default: by an estimate)", true},
      {"cpu", machine, integer, "N",
       "CPU of the submitting thread (default: the highest quiet one it may use)"},
      {"no-pin", machine, flag, "", "leave the submitting thread where the system puts it"},
  };
}

std::vector<OptionSpec> all_options() {
  std::vector<OptionSpec> options = axis_options(model::axes());
  options.push_back({"grid", OptionGroup::what, OptionKind::repeated, "AXIS=VALUES ...",
                     "measure these cells too: the plan's, but for the axes named here (repeatable; where no "
                     "axis is given: \"" +
                         std::string(default_grid) + "\")"});
  for (const std::vector<OptionSpec>& others :
       {package_options(), other_options(), shape_options(), machine_options()})
    options.insert(options.end(), others.begin(), others.end());
  return options;
}

}  // namespace

std::string_view title_of(OptionGroup group) noexcept {
  switch (group) {
    case OptionGroup::what:
      return "What is measured";
    case OptionGroup::how:
      return "How it is measured";
    case OptionGroup::where:
      return "Where results go";
    case OptionGroup::plugins:
      return "Plugins";
    case OptionGroup::machine:
      break;
  }
  return "Machine";
}

std::vector<OptionSpec> axis_options(const model::AxisTable& table) {
  std::vector<OptionSpec> options;
  for (const model::Axis& axis : table) {
    if (axis.placeholder.empty()) continue;
    options.push_back({axis.name, OptionGroup::what, kind_of(axis.values), axis.placeholder, axis.help});
    if (contains(axis.choices, "on") && axis.fallback == "off") options.back().alone = "on";
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
