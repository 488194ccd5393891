// What a sweep does beside measuring cells: floors, the machine's state, the trace file.
#pragma once

#include "harness/config/options.hpp"
#include "harness/sweep/run_sweep.hpp"

namespace graphbench::cli {

// Before anything starts. Throws InputError for a CPU that this process may not use.
void check_cpu(const config::SweepOptions& options);

// What is read once, before the cells.
struct Surroundings {
  model::CpuState machine;
  std::optional<model::Floors> floors;
  std::string warning;  // why there are no floors; empty where there are
};
Surroundings read_surroundings(const std::string& device, const config::SweepOptions& options,
                               process::ProcessSupervisor& supervisor);

// Puts them into the result, with what follows from them.
void add_surroundings(const Surroundings& surroundings, sweep::SweepOutcome& outcome);

// False, after a line on stderr, where the file could not be written.
bool write_trace(const sweep::SweepOutcome& outcome, const config::SweepOptions& options);

}  // namespace graphbench::cli
