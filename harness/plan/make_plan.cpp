// Multiplies the axes out into cells and worker tasks.
#include "harness/plan/make_plan.hpp"

#include <algorithm>
#include <random>

#include "harness/model/input_error.hpp"
#include "harness/plan/plan_hash.hpp"
#include "harness/plan/workload_choice.hpp"

namespace graphbench::plan {
namespace {

const std::vector<std::string> passes = {"forward"};

// Fisher-Yates, written out: std::shuffle may differ between standard libraries, and a plan's order
// must not. The bias of the remainder is below 2^-40 for any plan.
void shuffle(std::vector<model::WorkerTask>& tasks, std::mt19937_64& random) {
  for (std::size_t i = tasks.size(); i > 1; --i) {
    std::swap(tasks[i - 1], tasks[random() % i]);
  }
}

// Calls `visit(workload, dtype, pass)` in the plan's order.
template <typename Visit>
void for_each_group(const std::vector<WorkloadChoice>& workloads, const model::Axes& axes, Visit visit) {
  for (const WorkloadChoice& workload : workloads) {
    for (const std::string& dtype : axes.dtype) {
      for (const std::string& pass : axes.pass) visit(workload, dtype, pass);
    }
  }
}

model::Axes make_axes(const config::SweepOptions& options, const std::vector<WorkloadChoice>& workloads,
                      std::vector<std::string> dtypes) {
  model::Axes axes;
  for (const WorkloadChoice& workload : workloads) {
    axes.workload.push_back(workload.name);
    if (std::find(axes.preset.begin(), axes.preset.end(), workload.preset) == axes.preset.end()) {
      axes.preset.push_back(workload.preset);
    }
  }
  axes.dtype = std::move(dtypes);
  axes.pass = passes;
  axes.batch = options.batches;
  axes.warmup = options.warmups;
  axes.mode = options.modes;
  return axes;
}

std::vector<model::Cell> make_cells(const std::vector<WorkloadChoice>& workloads, const model::Axes& axes) {
  std::vector<model::Cell> cells;
  for_each_group(workloads, axes,
                 [&](const WorkloadChoice& workload, const std::string& dtype, const std::string& pass) {
                   for (const std::int64_t batch : axes.batch) {
                     for (const std::int64_t warmup : axes.warmup) {
                       for (const std::string& mode : axes.mode) {
                         cells.push_back({workload.name, workload.preset, dtype, pass, batch, warmup, mode});
                       }
                     }
                   }
                 });
  return cells;
}

std::vector<model::WorkerTask> make_round(const std::vector<WorkloadChoice>& workloads,
                                          const model::Axes& axes, const model::WorkerTask& common) {
  std::vector<model::WorkerTask> round;
  for_each_group(workloads, axes,
                 [&](const WorkloadChoice& workload, const std::string& dtype, const std::string& pass) {
                   for (const std::int64_t warmup : axes.warmup) {
                     for (const std::string& mode : axes.mode) {
                       model::WorkerTask task = common;
                       task.workload = workload.name;
                       task.preset = workload.preset;
                       task.options = workload.options;
                       task.dtype = dtype;
                       task.pass = pass;
                       task.warmup = warmup;
                       task.mode = mode;
                       round.push_back(std::move(task));
                     }
                   }
                 });
  return round;
}

}  // namespace

void check_size(const model::Axes& axes, std::int64_t launches, const std::string& where) {
  // Every factor is at most 10,000 and there are seven: a double holds the product well enough to
  // compare it.
  const double tasks = static_cast<double>(axes.workload.size()) * static_cast<double>(axes.dtype.size()) *
                       static_cast<double>(axes.warmup.size()) * static_cast<double>(axes.mode.size()) *
                       static_cast<double>(launches);
  const double measurements = tasks * static_cast<double>(axes.batch.size());
  if (measurements > static_cast<double>(cells_max)) {
    throw InputError(where, "the axes multiply to " + std::to_string(static_cast<long long>(measurements)) +
                                " measurements: give shorter lists, at most " + std::to_string(cells_max) +
                                " in all");
  }
}

model::Plan make_plan(const config::SweepOptions& options, const Catalog& catalog,
                      std::vector<std::string> argv) {
  const std::vector<WorkloadChoice> workloads = choose_workloads(options, catalog);
  model::Plan plan;
  plan.device = catalog.device;
  plan.facts.argv = std::move(argv);
  plan.facts.seed = options.seed;
  plan.facts.launches = options.launches;
  plan.facts.cold_l2 = options.instruments.cold_l2;
  plan.facts.profile = options.instruments.profile;
  plan.facts.axes = make_axes(options, workloads, choose_dtypes(options, catalog));
  check_size(plan.facts.axes, options.launches, "--sweep");
  plan.facts.hash = plan_hash(plan.facts, workloads, options);
  plan.cells = make_cells(workloads, plan.facts.axes);

  model::WorkerTask common;
  common.device = catalog.device;
  common.batches = options.batches;
  common.seed = static_cast<std::uint64_t>(options.seed);
  common.sampling = options.sampling;
  common.plugins = options.plugins;
  common.split_ops = options.split_ops;
  common.instruments = options.instruments;
  std::mt19937_64 random(common.seed);
  for (common.launch = 0; common.launch < options.launches; ++common.launch) {
    std::vector<model::WorkerTask> round = make_round(workloads, plan.facts.axes, common);
    shuffle(round, random);
    plan.tasks.insert(plan.tasks.end(), std::make_move_iterator(round.begin()),
                      std::make_move_iterator(round.end()));
  }
  return plan;
}

}  // namespace graphbench::plan
