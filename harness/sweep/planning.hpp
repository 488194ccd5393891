// Prepares sweeps: a plan whose programs build, and the conditions of measuring (CPU, machine, floors).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphs/base/process/process_supervisor.hpp"
#include "harness/options/command_options.hpp"
#include "harness/options/options.hpp"
#include "harness/sweep/plan/workload_choice.hpp"
#include "harness/sweep/run_sweep.hpp"

namespace graphbench::sweep {

struct CheckedPlan {
  Catalog catalog;
  model::Plan plan;
  std::vector<std::string> dumps;  // the programs as text, if requested
};

// Asks the probe for devices and workloads, makes the plan, and lets the probe build every program once.
// Throws InputError for the user's mistakes, Error for limits of this machine, and process::Interrupted.
CheckedPlan make_checked_plan(const options::SweepOptions& options, const std::vector<std::string>& argv,
                              process::ProcessSupervisor& supervisor);

// The command that starts a probe or a worker (`role`): this program, or the interpreter of --torch.
std::vector<std::string> child_command(const options::SweepOptions& options, const char* role);

// Fills in version, plan and environment (without library choices) of a result that run_sweep() did not make.
void finish_result(const CheckedPlan& checked, model::Result& result);

// Throws InputError if the plan runs a foreign step, because `command` ("ladder") runs only programs.
void refuse_step(const CheckedPlan& checked, const options::SweepOptions& options, const char* command);

// Throws InputError if this process may not use --cpu. If the device is a share of the host, restricts this
// process to the share's CPUs. Must be called before threads start and before the allowed CPUs are read.
void check_cpu(const options::SweepOptions& options);

// Sets the cache folder of --cache for this process and its children. Throws InputError if `folder` is a
// file. Without --cache (`folder` is empty), the variable GRAPHBENCH_PLAN_CACHE decides.
void use_cache(const std::string& where, const std::string& folder);

// The conditions of measuring, read once before the cells are measured. `plan` must have a task.
struct Conditions {
  model::CpuState machine;
  std::optional<model::Floors> floors;
  std::string warning;  // why the floors are absent; empty if they are present
};
Conditions read_conditions(const model::Plan& plan, const options::SweepOptions& options,
                           process::ProcessSupervisor& supervisor);

// Adds the conditions to the result, and to each cell the ratio of its submit time to the floors.
void add_conditions(const Conditions& conditions, SweepOutcome& outcome);

}  // namespace graphbench::sweep
