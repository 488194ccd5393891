// The conditions a sweep is measured under: its CPU, the machine's state and floors.
#pragma once

#include "harness/config/options.hpp"
#include "harness/sweep/run_sweep.hpp"

namespace graphbench::cli {

// Before anything starts. Throws InputError for a CPU that this process may not use.
void check_cpu(const config::SweepOptions& options);

// Read once, before the cells are measured. The plan has tasks.
struct Conditions {
  model::CpuState machine;
  std::optional<model::Floors> floors;
  std::string warning;  // why there are no floors; empty where there are
};
Conditions read_conditions(const model::Plan& plan, const config::SweepOptions& options,
                           process::ProcessSupervisor& supervisor);

// Puts them into the result, with what follows from them.
void add_conditions(const Conditions& conditions, sweep::SweepOutcome& outcome);

}  // namespace graphbench::cli
