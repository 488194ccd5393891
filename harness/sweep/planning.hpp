// The beginning of sweeps: a plan whose programs are known to build, and the conditions of measuring (CPU,
// machine, floors).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphs/base/process/process_supervisor.hpp"
#include "harness/options/command_options.hpp"
#include "harness/options/options.hpp"
#include "harness/sweep/plan/catalog.hpp"
#include "harness/sweep/run_sweep.hpp"

namespace graphbench::cli {

struct CheckedPlan {
  plan::Catalog catalog;
  model::Plan plan;
  std::vector<std::string> dumps;  // texts of the programs, if the options ask for them
};

// Asks the probe for devices and workloads, plans, and lets the probe build every program once. Throws
// InputError for mistakes of the user, Error for limits of this machine, and process::Interrupted.
CheckedPlan make_checked_plan(const config::SweepOptions& options, const std::vector<std::string>& argv,
                              process::ProcessSupervisor& supervisor);

// The command that starts a probe or a worker (`role`): this program, or the interpreter of --torch.
std::vector<std::string> child_command(const config::SweepOptions& options, const char* role);

// What a result that no sweep made says of this program, the plan and the machine; its library choices stay.
void finish_result(const CheckedPlan& checked, model::Result& result);

// Throws InputError if the plan is of a foreign step, which `command` ("ladder") does not run.
void refuse_step(const CheckedPlan& checked, const config::SweepOptions& options, const char* command);

// To be called before anything starts or looks at CPUs: if the device is a share of the host (devices.hpp),
// only that share is used from here on. Throws InputError for a CPU that this process may not use.
void check_cpu(const config::SweepOptions& options);

// Sets the cache's folder of --cache in this process and its children; throws InputError if it is not a
// folder. Without --cache the environment decides.
void use_cache(const std::string& where, const std::string& folder);

// Read once, before the cells are measured. The plan has tasks.
struct Conditions {
  model::CpuState machine;
  std::optional<model::Floors> floors;
  std::string warning;  // why there are no floors; empty if there are
};
Conditions read_conditions(const model::Plan& plan, const config::SweepOptions& options,
                           process::ProcessSupervisor& supervisor);

// Puts the facts into the result, with their consequences.
void add_conditions(const Conditions& conditions, sweep::SweepOutcome& outcome);

}  // namespace graphbench::cli
