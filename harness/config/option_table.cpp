// The table itself. `--config` is not in it: a configuration file names no other. A last `true`: local.
#include "harness/config/option_table.hpp"

namespace graphbench::config {

const std::vector<OptionSpec>& sweep_options() {
  using enum OptionKind;
  static const std::vector<OptionSpec> options = {
      {"workload", words, "NAME,...", "workloads to run (default: all built in)"},
      {"mode", words, "MODE,...", "eager, whole, piecewise (default: all)"},
      {"batch", numbers, "LIST", "batch sizes: 1,2,4 or 1:256:x2 or 8:64:+8 (default: 1:256:x2)"},
      {"warmup", numbers, "LIST", "eager steps before capture (default: 0,1,3,10)"},
      {"dtype", words, "TYPE,...", "bf16, fp16, fp32 (default: bf16 on cuda, fp32 on host)"},
      {"preset", text, "NAME", "sizes of the workloads (default: base on cuda, tiny on host)"},
      {"device", text, "DEVICE", "auto, cuda, cuda:N, host (default: auto: cuda if one works, else host)"},
      {"launches", integer, "N", "worker processes a cell (default: 1)"},
      {"json", text, "FILE", "where the result document goes; - for stdout (default: graphbench.json)", true},
      {"samples", text, "FILE.npz", "every sample in one file that numpy.load opens (default: none)", true},
      {"plugin", repeated, "FILE.so", "load the workloads of a plugin (repeatable)", true},
      {"set", repeated, "KEY=VALUE", "override a size of a workload: mlp.hidden=2048 (repeatable)"},
      {"split-ops", words, "KIND,...", "op kinds at which piecewise splits (default: the workload's own)"},
      {"seed", integer, "N", "seed of the data and of the order (default: 1)"},
      {"time-per-cell", real, "SECONDS", "sampling time a cell at most (default: 0.15)"},
      {"samples-max", integer, "N", "samples a cell and pass at most (default: 2000)"},
      {"worker-timeout", real, "SECONDS", "how long a worker may be silent (default: 120)"},
      {"cpu", integer, "N", "CPU of the submitting thread (default: the highest quiet one it may use)"},
      {"no-pin", flag, "", "leave the submitting thread where the system puts it"},
      {"cold-l2", flag, "", "flush the device's last cache before every timed step"},
      {"profile", flag, "", "afterwards, record each cell's kernels, busy time and gaps"},
      {"trace", text, "FILE", "write the profiled steps as a Chrome trace (implies --profile)", true},
      {"prometheus-listen", text, "ADDR:PORT", "serve /metrics there while the sweep runs (default: not)",
       true},
      {"prometheus-allow-remote", flag, "", "let --prometheus-listen take an address other machines reach",
       true},
      {"tls-certificate", text, "FILE.pem", "serve https, with this certificate and what leads to its root",
       true},
      {"tls-key", text, "FILE.pem", "its key", true},
      {"tls-client-ca", text, "FILE.pem", "ask clients for a certificate that one of these signed", true},
      {"linger", real, "SECONDS", "go on serving /metrics for so long after the sweep (default: not)", true},
      {"prometheus-textfile", text, "FILE.prom", "keep the metrics in a file for the node exporter", true},
      {"prometheus-push", text, "URL", "push the metrics to a Pushgateway when the sweep is done", true},
      {"push-grouping", words, "KEY=VALUE,...", "further grouping keys, beside job and instance", true},
      {"push-delete", flag, "", "delete what was pushed before exiting, after --linger", true},
      {"baseline", text, "FILE", "publish how the sweep compares with this result, or folder of results",
       true},
      {"against", text, "NAME",
       "instead of --baseline: the latest of this branch, label or commit in the history", true},
      {"history", text, "FILE", "the history's file, for --against", true},
      {"quiet", flag, "", "no progress and no table", true},
      {"dump-program", flag, "", "print each workload's program and its pieces, and stop", true},
  };
  return options;
}

const OptionSpec* find_option(std::string_view name) {
  for (const OptionSpec& option : sweep_options()) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

std::vector<std::string> option_names() {
  std::vector<std::string> names;
  for (const OptionSpec& option : sweep_options()) names.push_back(option.name);
  return names;
}

}  // namespace graphbench::config
