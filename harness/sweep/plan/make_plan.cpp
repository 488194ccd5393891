// Multiplies all axes out into cells and worker tasks, shuffles the tasks of each launch, and hashes the
// plan. Two sweeps with equal hashes measure equal cells in the same way, on any device.
#include "harness/sweep/plan/make_plan.hpp"

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <utility>

#include "graphs/base/digest.hpp"
#include "graphs/base/text.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/options/numbers.hpp"
#include "harness/options/option_table.hpp"
#include "harness/sweep/plan/workload_choice.hpp"

namespace graphbench::sweep {
namespace {

// A Fisher-Yates shuffle, because std::shuffle may differ between standard libraries, and a plan's order must
// not. The bias of the modulo is below 2^-40 for any plan.
void shuffle(std::vector<model::WorkerTask>& tasks, std::mt19937_64& random) {
  for (std::size_t i = tasks.size(); i > 1; --i) {
    std::swap(tasks[i - 1], tasks[random() % i]);
  }
}

// Fills in the axes of a foreign step, which runs in all its modes if the user names none. On the host device
// PyTorch has no graphs, so its steps run there only in mode eager unless the user names modes.
model::Axes axes_of_step(model::Axes axes, const options::SweepOptions& options, const Catalog& catalog,
                         const abi::WorkloadInfo& step) {
  axes.workload = {step.name};
  axes.preset = axes.dtype = axes.pass = {std::string(model::of_its_own)};
  if (options.places.contains("mode") || axes.mode != options.axes.mode) return axes;
  const bool only_eager = options.torch.given() && catalog.facts.kind == "host";
  axes.mode = only_eager ? std::vector{model::reference_mode().name} : step.modes;
  return axes;
}

model::Axes complete_axes(model::Axes axes, const std::vector<WorkloadChoice>& workloads,
                          std::vector<std::string> dtypes) {
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

// Makes the tasks of one launch. A task has all batches, or one batch if each cell needs its own process.
std::vector<model::WorkerTask> make_round(const std::vector<WorkloadChoice>& workloads,
                                          const model::PlanFacts& facts, const model::AxisTable& table,
                                          const model::WorkerTask& common) {
  std::vector<model::WorkerTask> round;
  std::set<std::string> planned;
  const auto add = [&](const model::Axes& grid, const WorkloadChoice& workload, const model::Cell& cell) {
    model::WorkerTask task = common;
    model::set_cell(task, cell);
    task.options = workload.options;
    for (const std::int64_t batch : grid.batch) {
      if (planned.insert(model::id_of(model::cell_of(task, batch))).second) task.batches.push_back(batch);
    }
    if (!model::at_first_use(task)) {
      if (!task.batches.empty()) round.push_back(std::move(task));
      return;
    }
    for (const std::int64_t batch : std::exchange(task.batches, {})) {
      round.push_back(task);
      round.back().batches = {batch};
    }
  };
  for (const model::Axes& grid : model::grids_of(facts)) {
    for (const WorkloadChoice& workload : workloads) {
      for (const model::Cell& cell : model::cells_of(workload.name, workload.preset, grid, table, "batch"))
        add(grid, workload, cell);
    }
  }
  return round;
}

std::vector<std::int64_t> default_batches(const Catalog& catalog) {
  return options::parse_numbers("--batch", model::device_kind(catalog.facts.kind).batches, {.noun = "batch"});
}

void complete_grids(model::PlanFacts& facts, const options::SweepOptions& options, const Catalog& catalog,
                    const std::vector<WorkloadChoice>& workloads) {
  const abi::WorkloadInfo* const step = step_of(workloads, catalog);
  const std::vector<std::string> dtypes =
      step == nullptr ? choose_dtypes(options, catalog) : std::vector<std::string>();
  const auto complete = [&](model::Axes axes) {
    if (axes.batch.empty()) axes.batch = options.axes.batch;
    if (axes.batch.empty()) axes.batch = default_batches(catalog);
    return step != nullptr ? axes_of_step(std::move(axes), options, catalog, *step)
                           : complete_axes(std::move(axes), workloads, dtypes);
  };
  facts.axes = complete(options.axes);
  for (const model::Axes& grid : options.more_grids) facts.more_grids.push_back(complete(grid));
}

std::string options_of(const std::string& axis, const std::vector<std::string>& values) {
  std::string text = values.empty() ? "" : " --" + axis + " ";
  for (const std::string& value : values) text += (&value == &values.front() ? "" : ",") + value;
  return text;
}

// Refuses an option of the command line that changes no cell. A file or a request may serve several plans, so
// one of theirs is a note.
void say_without_effect(const options::SweepOptions& options, const std::string& name, const std::string& why,
                        std::vector<std::string>& notes) {
  const std::string where = options.where(name);
  if (where.starts_with("--") && !options.requested) throw InputError(where, why);
  notes.push_back(where + ": " + why);
}

// Looks for values of a later axis (Axis::came_later) that apply to no cell.
void check_axes(const options::SweepOptions& options, const model::Axes& planned,
                const std::vector<model::Cell>& cells, const Catalog& catalog, const model::AxisTable& table,
                std::vector<std::string>& notes) {
  for (const model::Axis& axis : table) {
    const auto given = planned.more_axes.find(axis.name);
    if (given == planned.more_axes.end()) continue;
    if (!axis.devices.empty() && !contains(axis.devices, catalog.facts.kind)) {
      say_without_effect(options, axis.name,
                         "the option has no effect on " + catalog.facts.kind +
                             ": leave the option out, or give --device " + join(axis.devices, " or "),
                         notes);
      continue;
    }
    const bool of_steps = axis.passes == std::vector<std::string>{std::string(model::of_its_own)};
    for (const std::string& value : given->second) {
      const auto has = [&](const model::Cell& cell) {
        const auto found = cell.more_axes.find(axis.name);
        return found != cell.more_axes.end() && found->second == value &&
               (!axis.torch || options.torch.given());
      };
      if (value == axis.fallback || std::ranges::any_of(cells, has)) continue;
      say_without_effect(options, axis.name,
                         in_quotes(value) + " would change no cell of this plan: give the value only with" +
                             (axis.torch ? " --torch"
                              : of_steps ? " a foreign step"
                                         : options_of("pass", axis.passes)) +
                             options_of("mode", axis.modes) +
                             options_of(axis.within.axis, axis.within.values) +
                             (axis.why.empty() ? "" : "; " + axis.why),
                         notes);
    }
  }
}

// Names the workloads that lack the device's default preset: another may take much longer.
void note_other_presets(const options::SweepOptions& options, const std::vector<WorkloadChoice>& workloads,
                        const Catalog& catalog, std::vector<std::string>& notes) {
  const std::string& usual = model::device_kind(catalog.facts.kind).preset;
  if (!options.axes.preset.empty()) return;
  for (const WorkloadChoice& workload : workloads) {
    if (workload.preset == usual || workload.preset == model::of_its_own) continue;
    notes.push_back(options.where("preset") + ": workload " + workload.name + " has no preset " +
                    in_quotes(usual) + ", the default on " + catalog.facts.kind + ", so it runs with " +
                    in_quotes(workload.preset));
  }
}

// Looks for other options that change no cell.
void check_reach(const options::SweepOptions& options, std::vector<model::Cell> cells,
                 const std::string& device_kind, std::vector<std::string>& notes) {
  for (const std::string& mode : options.more_modes) {
    cells.push_back(cells.front());
    cells.back().mode = mode;
  }
  for (const options::OptionSpec& option : options::sweep_options()) {
    if (!options.places.contains(option.name) || option.reach.changes == nullptr) continue;
    const auto is_changed = [&](const model::Cell& cell) {
      return option.reach.changes(cell, device_kind, options);
    };
    if (std::ranges::any_of(cells, is_changed)) continue;
    const std::string value = options::value_text(option, options);
    say_without_effect(options, option.name,
                       (value.empty() || value == "on" ? "the option" : in_quotes(value)) +
                           " would change no cell of this plan: give it only with " +
                           std::string(option.reach.with),
                       notes);
  }
}

// The text of the plan's hash: lines of `key=value` for workloads with presets and options, axes and the
// options that OptionSpec::in_hash names. Leaves out later axes at their default, and the device, whose
// fingerprint is in the result's environment.
std::string canonical_text(const model::PlanFacts& facts, const std::vector<WorkloadChoice>& workloads,
                           const options::SweepOptions& options, const model::AxisTable& table) {
  // Leaves out launches and seed, so that results of five and of ten launches can be compared.
  std::string text = "graphbench.plan/1\n";
  for (const WorkloadChoice& workload : workloads) {
    text += "workload=" + workload.name + " preset=" + workload.preset;
    for (const auto& [key, value] : workload.options) text += " " + key + "=" + std::to_string(value);
    text += "\n";
  }
  // Leaves out axes at their default, and the line "grid" of the first grid, so that older plans keep their
  // hash.
  const std::vector<model::Axes> grids = model::grids_of(facts);
  for (const model::Axes& grid : grids) {
    if (&grid != &grids.front()) text += "grid\n";
    for (const model::Axis& axis : table) {
      const bool named_above = axis.texts == &model::Axes::workload || axis.texts == &model::Axes::preset;
      const std::vector<std::string> values = model::values_of(grid, axis);
      if (!named_above && !values.empty()) text += axis.name + "=" + join(values) + "\n";
    }
  }
  text += options::hash_lines(options);
  // Not InHash::changed, because documents have it outside of `caller`, and older plans keep their hash.
  if (facts.cold_l2) text += "cold-l2=true\n";
  for (const auto& [name, value] : facts.caller) text += name + "=" + value + "\n";
  return text;
}

}  // namespace

void check_size(const std::vector<model::Axes>& grids, std::int64_t launches, const std::string& where,
                const model::AxisTable& table) {
  // A double is exact enough here, because each product has few factors of at most 10,000.
  double measurements = 0;
  for (const model::Axes& grid : grids) {
    auto of_grid = static_cast<double>(launches);
    for (const model::Axis& axis : table) {
      const auto values = static_cast<double>(model::values_of(grid, axis).size());
      const bool is_default = values == 0 && axis.came_later();
      if (axis.texts != &model::Axes::preset && !is_default) of_grid *= values;
    }
    measurements += of_grid;
  }
  if (measurements > static_cast<double>(measurements_max)) {
    const auto shown = static_cast<long long>(std::min(measurements, 9e18));  // of a document: any lengths
    throw InputError(where, "the axes multiply to " + std::to_string(shown) +
                                " measurements: give shorter lists, for at most " +
                                std::to_string(measurements_max) + " measurements");
  }
}

model::Plan make_plan(const options::SweepOptions& options, const Catalog& catalog,
                      std::vector<std::string> argv, const model::AxisTable& table) {
  const std::vector<WorkloadChoice> workloads = choose_workloads(options, catalog);
  model::Plan plan;
  plan.device = catalog.device;
  plan.facts.argv = std::move(argv);
  plan.facts.seed = options.seed;
  plan.facts.launches = options.launches;
  plan.facts.cold_l2 = options.instruments.cold_l2;
  plan.facts.profile = options.instruments.profile;
  plan.facts.caller = options::changed_settings(options);
  if (step_of(workloads, catalog) != nullptr && !options.places.contains("time-per-cell"))
    plan.facts.time_per_cell = model::foreign_seconds_per_cell;
  complete_grids(plan.facts, options, catalog, workloads);
  const std::vector<model::Axes> grids = model::grids_of(plan.facts);
  check_size(grids, options.launches, "--sweep", table);
  plan.facts.hash = sha256_hex(canonical_text(plan.facts, workloads, options, table));
  plan.cells = model::cells_of(
      plan.facts,
      [&](const std::string& name) {
        return std::ranges::find(workloads, name, &WorkloadChoice::name)->preset;
      },
      table);
  std::vector<std::string>& notes = plan.facts.without_effect;
  for (const model::Axes& grid : grids) check_axes(options, grid, plan.cells, catalog, table, notes);
  check_reach(options, plan.cells, catalog.facts.kind, notes);
  note_other_presets(options, workloads, catalog, notes);

  model::WorkerTask common;
  common.device = catalog.device;
  common.settings = options;
  common.settings.sampling.seconds_max = plan.facts.time_per_cell.value_or(options.sampling.seconds_max);
  std::mt19937_64 random(static_cast<std::uint64_t>(options.seed));
  for (common.launch = 0; common.launch < options.launches; ++common.launch) {
    std::vector<model::WorkerTask> round = make_round(workloads, plan.facts, table, common);
    shuffle(round, random);
    plan.tasks.insert(plan.tasks.end(), std::make_move_iterator(round.begin()),
                      std::make_move_iterator(round.end()));
  }
  return plan;
}

}  // namespace graphbench::sweep
