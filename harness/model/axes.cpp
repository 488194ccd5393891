// Makes ids, values and cells from the table of axes.
#include "harness/model/axes.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "graphs/base/text.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::model {
namespace {

bool allows(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || contains(names, name);
}

}  // namespace

bool Axis::says_what() const {
  return texts == &Axes::workload || texts == &Axes::preset || texts == &Axes::dtype;
}

bool Axis::applies_to(const Cell& cell) const {
  if (!allows(modes, cell.mode) || !allows(passes, cell.pass)) return false;
  if (within.axis.empty() || contains(within.except_modes, cell.mode)) return true;
  const auto found = cell.more_axes.find(within.axis);
  return allows(within.values,
                found == cell.more_axes.end() ? axis_named(within.axis).fallback : found->second);
}

const Axis& axis_named(std::string_view name) {
  return *std::ranges::find(axes(), name, &Axis::name);
}

std::string variant_of(const Cell& cell) {
  return join(cell.more_axes, "/", [](const auto& axis) { return axis.first + "=" + axis.second; });
}

std::vector<std::pair<std::string, std::string>> axis_values(const Cell& cell) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const Axis& axis : axes()) {
    if (axis.text != nullptr) values.emplace_back(axis.name, cell.*axis.text);
    if (axis.number != nullptr) values.emplace_back(axis.name, std::to_string(cell.*axis.number));
  }
  values.insert(values.end(), cell.more_axes.begin(), cell.more_axes.end());
  return values;
}

std::string_view later_axis(const WorkerTask& task, const std::string& name) {
  const auto found = task.more_axes.find(name);
  return found == task.more_axes.end() ? std::string_view() : found->second;
}

std::int64_t ranks_of(const WorkerTask& task) {
  const std::string_view value = later_axis(task, "ranks");
  return value.empty() ? 1 : std::atoll(std::string(value).c_str());
}

bool at_first_use(const WorkerTask& task) {
  return later_axis(task, "prepare") == "first-use";
}

std::string id_of(const Cell& cell) {
  std::string id;
  id.reserve(64);
  for (const Axis& axis : axes()) {
    if (axis.came_later()) continue;
    id.append(id.empty() ? "" : "/").append(axis.id_prefix);
    id += axis.text != nullptr ? cell.*axis.text : std::to_string(cell.*axis.number);
  }
  if (!cell.more_axes.empty()) id.append("/").append(variant_of(cell));
  return id;
}

std::string id_without(const std::string& axis, const std::string& id) {
  std::string rest;
  std::size_t begin = 0;
  for (const Axis& each : axes()) {
    if (each.came_later()) break;
    const std::size_t end = std::min(id.find('/', begin), id.size());
    const std::string_view part = std::string_view(id).substr(begin, end - begin);
    const bool numbered = part.starts_with(each.id_prefix) && part.size() > each.id_prefix.size() &&
                          part.find_first_not_of("0123456789", each.id_prefix.size()) == std::string::npos;
    if (part.empty() || (each.number != nullptr && !numbered)) return {};
    if (each.name == axis) rest = id.substr(0, begin) + id.substr(std::min(end + 1, id.size()));
    begin = std::min(end + 1, id.size());
  }
  return rest;
}

std::vector<std::string> values_of(const Axes& planned, const Axis& axis) {
  if (axis.texts != nullptr) return planned.*axis.texts;
  std::vector<std::string> values;
  if (axis.numbers != nullptr) {
    for (const std::int64_t value : planned.*axis.numbers) values.push_back(std::to_string(value));
  } else if (const auto found = planned.more_axes.find(axis.name); found != planned.more_axes.end()) {
    values = found->second;
  }
  return values;
}

std::vector<Cell> expand(const std::vector<Cell>& cells, const Axis& axis, const Axes& planned) {
  const std::vector<std::string> values = values_of(planned, axis);
  if (axis.came_later() && values.empty()) return cells;
  std::vector<Cell> expanded;
  expanded.reserve(cells.size() * values.size());
  for (const Cell& cell : cells) {
    if (axis.came_later() && !axis.applies_to(cell)) {
      expanded.push_back(cell);
      continue;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      Cell& at = expanded.emplace_back(cell);
      if (axis.text != nullptr) {
        at.*axis.text = values[i];
      } else if (axis.number != nullptr) {
        at.*axis.number = (planned.*axis.numbers)[i];
      } else if (values[i] != axis.fallback) {
        at.more_axes[axis.name] = values[i];
      }
    }
  }
  return expanded;
}

Cell in_mode(Cell cell, std::string_view mode, const AxisTable& table) {
  cell.mode = mode;
  for (const Axis& axis : table) {
    if (axis.came_later() && !axis.applies_to(cell)) cell.more_axes.erase(axis.name);
  }
  return cell;
}

Cell reference_of(Cell cell, const AxisTable& table) {
  return in_mode(std::move(cell), reference_mode().name, table);
}

std::string group_of(const Cell& cell) {
  return cell.workload + "/" + cell.preset + "/" + cell.dtype + "/" + cell.pass + "/w" +
         std::to_string(cell.warmup);
}

std::vector<Cell> cells_of(const std::string& workload, const std::string& preset, const Axes& planned,
                           const AxisTable& table, std::string_view left_out) {
  std::vector<Cell> cells(1);
  cells.front().workload = workload;
  cells.front().preset = preset;
  for (const Axis& axis : table) {
    const bool chosen = axis.texts == &Axes::workload || axis.texts == &Axes::preset;
    if (!chosen && axis.name != left_out) cells = expand(cells, axis, planned);
  }
  return cells;
}

std::vector<Axes> grids_of(const PlanFacts& facts) {
  std::vector<Axes> grids = {facts.axes};
  grids.insert(grids.end(), facts.more_grids.begin(), facts.more_grids.end());
  return grids;
}

std::vector<Cell> cells_of(const PlanFacts& facts,
                           const std::function<std::string(const std::string&)>& preset_of,
                           const AxisTable& table) {
  std::vector<Cell> planned;
  std::set<std::string> ids;
  for (const Axes& grid : grids_of(facts)) {
    for (const std::string& workload : grid.workload) {
      for (Cell& cell : cells_of(workload, preset_of(workload), grid, table)) {
        if (facts.more_grids.empty() || ids.insert(id_of(cell)).second) planned.push_back(std::move(cell));
      }
    }
  }
  return planned;
}

Cell cell_of(const WorkerTask& task, std::int64_t batch) {
  return {task.workload, task.preset, task.dtype, task.pass, batch, task.warmup, task.mode, task.more_axes};
}

void set_cell(WorkerTask& task, const Cell& cell) {
  task.workload = cell.workload;
  task.preset = cell.preset;
  task.dtype = cell.dtype;
  task.pass = cell.pass;
  task.warmup = cell.warmup;
  task.mode = cell.mode;
  task.more_axes = cell.more_axes;
}

}  // namespace graphbench::model
