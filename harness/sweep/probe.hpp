// Asks a probe process, and turns its death into a message that names what it died of.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "harness/config/options.hpp"
#include "harness/process/process_supervisor.hpp"
#include "harness/sweep/probe_protocol.hpp"

namespace graphbench::sweep {

// A person wanted to stop while there was nothing to keep yet.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

// How to start this binary again as a child; tests start something else.
std::vector<std::string> own_command(const std::string& role);

struct ProbeSettings {
  std::vector<std::string> command;  // own_command("--probe")
  double silent_seconds_max = 120;
};

// Throws InputError for what the person asked wrongly (`options` says where it stands), Error
// for what this machine lacks, Interrupted.
ProbeAnswer ask_probe(ProcessSupervisor& supervisor, const ProbeSettings& settings,
                      const ProbeRequest& request, const config::SweepOptions& options);

}  // namespace graphbench::sweep
