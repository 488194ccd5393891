// From options to a plan whose programs are known to build: what a sweep and `bench` begin with.
#pragma once

#include <string>
#include <vector>

#include "harness/config/options.hpp"
#include "harness/plan/catalog.hpp"
#include "harness/process/process_supervisor.hpp"

namespace graphbench::cli {

struct CheckedPlan {
  plan::Catalog catalog;
  model::Plan plan;
  std::vector<std::string> dumps;  // of the programs, where the options ask for them
};

// Asks the probe what there is, plans, and lets the probe build every program once. Throws
// InputError for what the person asked wrongly, Error for what this machine lacks,
// process::Interrupted.
CheckedPlan make_checked_plan(const config::SweepOptions& options, const std::vector<std::string>& argv,
                              process::ProcessSupervisor& supervisor);

}  // namespace graphbench::cli
