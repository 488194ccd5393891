// Two questions to the probe with the plan between them.
#include "harness/cli/planning.hpp"

#include "harness/cli/commands.hpp"
#include "harness/machine/cpu_choice.hpp"
#include "harness/machine/pinning.hpp"
#include "harness/plan/make_plan.hpp"
#include "harness/sweep/probe.hpp"

namespace graphbench::cli {
namespace {

plan::Catalog catalog_of(sweep::ProbeAnswer answer) {
  return {std::move(answer.device), std::move(answer.facts), std::move(answer.dtypes),
          std::move(answer.workloads)};
}

// One program a (workload, preset, dtype, pass): what modes and warmups share. With the first batch
// alone, which is what a dump shows.
std::vector<model::WorkerTask> programs_of(const model::Plan& plan) {
  std::vector<model::WorkerTask> programs;
  const auto same = [](const model::WorkerTask& task, const model::Cell& cell) {
    return task.workload == cell.workload && task.dtype == cell.dtype && task.pass == cell.pass;
  };
  for (const model::Cell& cell : plan.cells) {
    // Cells of one program are neighbours in a plan.
    if (!programs.empty() && same(programs.back(), cell)) continue;
    for (const model::WorkerTask& task : plan.tasks) {
      if (!same(task, cell)) continue;
      programs.push_back(task);
      programs.back().batches.resize(1);
      break;
    }
  }
  return programs;
}

// In the probe, so that a mistake is found before anything is measured.
std::vector<std::string> check_programs(const model::Plan& plan, const config::SweepOptions& options,
                                        const sweep::ProbeSettings& probe,
                                        process::ProcessSupervisor& supervisor) {
  sweep::ProbeRequest request;
  request.plugins = options.plugins;
  request.programs = programs_of(plan);
  request.dump = options.dump_program;
  return sweep::ask_probe(supervisor, probe, request, options).dumps;
}

}  // namespace

CheckedPlan make_checked_plan(const config::SweepOptions& options, const std::vector<std::string>& argv,
                              process::ProcessSupervisor& supervisor) {
  const sweep::ProbeSettings probe{process::own_command(probe_role), options.worker_timeout_seconds};
  sweep::ProbeRequest request;
  request.device = options.device;
  request.plugins = options.plugins;
  request.list_workloads = true;
  CheckedPlan checked;
  checked.catalog = catalog_of(sweep::ask_probe(supervisor, probe, request, options));
  config::SweepOptions chosen = options;
  chosen.instruments.submitter = machine::choose_submitter(options.instruments, machine::allowed_cpus(),
                                                           checked.catalog.facts.pci_bus_id);
  checked.plan = plan::make_plan(chosen, checked.catalog, argv);
  checked.dumps = check_programs(checked.plan, options, probe, supervisor);
  return checked;
}

}  // namespace graphbench::cli
