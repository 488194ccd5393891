// What stands between a sweep's options and its running: the probe's catalog, the plan, and every program
// built once.
#pragma once

#include <string>
#include <vector>

#include "harness/config/options.hpp"
#include "harness/model/plan.hpp"
#include "harness/plan/catalog.hpp"
#include "harness/sweep/process_supervisor.hpp"

namespace graphbench::cli {

struct PlannedSweep {
  plan::Catalog catalog;
  model::Plan plan;
  std::vector<std::string> dumps;  // one a program, where asked for
};

// Throws config::InputError for what is asked wrongly, Error for what this machine lacks,
// sweep::Interrupted.
PlannedSweep plan_sweep(const config::SweepOptions& options, const std::vector<std::string>& argv,
                        sweep::ProcessSupervisor& supervisor);

}  // namespace graphbench::cli
