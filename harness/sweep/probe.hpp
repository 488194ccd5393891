// Asks a probe process. If the probe crashes or hangs, the error names the probe's last stage.
#pragma once

#include <string>
#include <vector>

#include "graphs/base/process/process_supervisor.hpp"
#include "harness/options/options.hpp"
#include "harness/sweep/probe_protocol.hpp"

namespace graphbench::sweep {

struct ProbeSettings {
  std::vector<std::string> command;  // process::own_command("--probe")
  double silent_seconds_max = 120;
};

// Returns the probe's answer. Throws InputError for a user's mistake, with the option's place from `options`,
// Error for something that this machine lacks, and process::Interrupted if the user interrupts.
ProbeAnswer ask_probe(process::ProcessSupervisor& supervisor, const ProbeSettings& settings,
                      const ProbeRequest& request, const config::SweepOptions& options);

}  // namespace graphbench::sweep
