// Multiplies the axes out into cells and worker tasks, in one loop over the table of axes.
#include "harness/sweep/plan/make_plan.hpp"

#include <algorithm>
#include <iterator>
#include <random>

#include "graphs/base/text.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/sweep/plan/plan_hash.hpp"
#include "harness/sweep/plan/workload_choice.hpp"

namespace graphbench::plan {
namespace {

// Fisher-Yates, written out: std::shuffle may differ between standard libraries, and a plan's order
// must not. The bias of the remainder is below 2^-40 for any plan.
void shuffle(std::vector<model::WorkerTask>& tasks, std::mt19937_64& random) {
  for (std::size_t i = tasks.size(); i > 1; --i) {
    std::swap(tasks[i - 1], tasks[random() % i]);
  }
}

// A step that is not warmed up fails in its first capture, as a library's handles are made then.
constexpr std::int64_t step_warmups = 3;

// A foreign step runs in all of its modes where none was named.
model::Axes axes_of_step(const config::SweepOptions& options, const abi::WorkloadInfo& step) {
  model::Axes axes = options.axes;
  axes.workload = {step.name};
  axes.preset = axes.dtype = axes.pass = {std::string(model::of_its_own)};
  if (!options.places.contains("mode")) axes.mode = step.modes;
  if (!options.places.contains("warmup")) axes.warmup = {step_warmups};
  return axes;
}

// What the options left to the device and the workloads is filled in.
model::Axes complete_axes(const config::SweepOptions& options, const std::vector<WorkloadChoice>& workloads,
                          std::vector<std::string> dtypes) {
  model::Axes axes = options.axes;
  axes.workload.clear();
  axes.preset.clear();
  for (const WorkloadChoice& workload : workloads) {
    axes.workload.push_back(workload.name);
    if (!contains(axes.preset, workload.preset)) {
      axes.preset.push_back(workload.preset);
    }
  }
  axes.dtype = std::move(dtypes);
  return axes;
}

// One launch: a task has all batches of its cells, or one of them where a cell has a process of its own.
std::vector<model::WorkerTask> make_round(const std::vector<WorkloadChoice>& workloads,
                                          const model::Axes& axes, const model::AxisTable& table,
                                          const model::WorkerTask& common) {
  std::vector<model::WorkerTask> round;
  for (const WorkloadChoice& workload : workloads) {
    for (const model::Cell& cell : model::cells_of(workload.name, workload.preset, axes, table, "batch")) {
      model::WorkerTask& task = round.emplace_back(common);
      model::set_cell(task, cell);
      task.options = workload.options;
      if (!model::at_first_use(task)) continue;
      const model::WorkerTask alone = task;
      for (std::size_t i = 0; i < alone.batches.size(); ++i) {
        if (i > 0) round.push_back(alone);
        round.back().batches = {alone.batches[i]};
      }
    }
  }
  return round;
}

std::string options_of(const std::string& axis, const std::vector<std::string>& values) {
  std::string text = values.empty() ? "" : " --" + axis + " ";
  for (const std::string& value : values) text += (&value == &values.front() ? "" : ",") + value;
  return text;
}

// A later axis may be given a value that means nothing in any cell of the plan, and would change none.
void check_reach(const config::SweepOptions& options, const std::vector<model::Cell>& cells,
                 const model::AxisTable& table) {
  for (const model::Axis& axis : table) {
    const auto given = options.axes.more_axes.find(axis.name);
    if (given == options.axes.more_axes.end()) continue;
    for (const std::string& value : given->second) {
      const auto has = [&](const model::Cell& cell) {
        const auto found = cell.more_axes.find(axis.name);
        return found != cell.more_axes.end() && found->second == value;
      };
      if (value == axis.fallback || std::ranges::any_of(cells, has)) continue;
      throw InputError(options.where(axis.name),
                       in_quotes(value) + " would change no cell of this plan: it goes with" +
                           options_of("pass", axis.passes) + options_of("mode", axis.modes) +
                           options_of(axis.within.axis, axis.within.values));
    }
  }
}

}  // namespace

void check_size(const model::Axes& axes, std::int64_t launches, const std::string& where,
                const model::AxisTable& table) {
  // Every factor is at most 10,000 and there are few of them: a double holds the product well enough to
  // compare it.
  auto measurements = static_cast<double>(launches);
  for (const model::Axis& axis : table) {
    const auto values = static_cast<double>(model::values_of(axes, axis).size());
    const bool is_default = values == 0 && axis.came_later();
    if (axis.texts != &model::Axes::preset && !is_default) measurements *= values;
  }
  if (measurements > static_cast<double>(measurements_max)) {
    throw InputError(where, "the axes multiply to " + std::to_string(static_cast<long long>(measurements)) +
                                " measurements: give shorter lists, at most " +
                                std::to_string(measurements_max) + " in all");
  }
}

model::Plan make_plan(const config::SweepOptions& options, const Catalog& catalog,
                      std::vector<std::string> argv, const model::AxisTable& table) {
  const std::vector<WorkloadChoice> workloads = choose_workloads(options, catalog);
  model::Plan plan;
  plan.device = catalog.device;
  plan.facts.argv = std::move(argv);
  plan.facts.seed = options.seed;
  plan.facts.launches = options.launches;
  plan.facts.cold_l2 = options.instruments.cold_l2;
  plan.facts.profile = options.instruments.profile;
  plan.facts.caller = model::settings_of(options.caller);
  const abi::WorkloadInfo* const step = step_of(workloads, catalog);
  plan.facts.axes = step != nullptr ? axes_of_step(options, *step)
                                    : complete_axes(options, workloads, choose_dtypes(options, catalog));
  check_size(plan.facts.axes, options.launches, "--sweep", table);
  plan.facts.hash = plan_hash(plan.facts, workloads, options, table);
  for (const WorkloadChoice& workload : workloads)
    std::ranges::move(model::cells_of(workload.name, workload.preset, plan.facts.axes, table),
                      std::back_inserter(plan.cells));
  check_reach(options, plan.cells, table);

  model::WorkerTask common;
  common.device = catalog.device;
  common.batches = options.axes.batch;
  common.seed = static_cast<std::uint64_t>(options.seed);
  common.sampling = options.sampling;
  common.plugins = options.plugins;
  common.split_ops = options.split_ops;
  common.caller = options.caller;
  common.package = options.package;
  common.instruments = options.instruments;
  std::mt19937_64 random(common.seed);
  for (common.launch = 0; common.launch < options.launches; ++common.launch) {
    std::vector<model::WorkerTask> round = make_round(workloads, plan.facts.axes, table, common);
    shuffle(round, random);
    plan.tasks.insert(plan.tasks.end(), std::make_move_iterator(round.begin()),
                      std::make_move_iterator(round.end()));
  }
  return plan;
}

}  // namespace graphbench::plan
