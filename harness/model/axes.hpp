// The axes of a sweep, one row per axis: its option, its default, its place in ids, plans and labels, and the
// cells that it applies to. Options, plans, tasks, ids, labels and hashes all loop over these rows.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"

namespace graphbench::model {

enum class AxisValues : std::uint8_t {
  names,    // any words; the plan knows the valid ones
  name,     // one word; the plan knows the valid ones
  choices,  // words of `choices`
  numbers,  // positive whole numbers and ranges
};

// The first seven axes have members in Cell and Axes, and are always shown. The values of a later axis are
// text in the maps `more_axes`, which never hold the default. So a cell at the default keeps the id, the
// labels and the plan hash that it had before the axis existed.
struct ValuesOfAxis {
  std::string axis;
  std::vector<std::string> values;
};

struct Axis {
  std::string name;  // also the name of the option, of the member of plan.axes, and of the label
  AxisValues values = AxisValues::choices;
  std::string noun;         // as messages name one value
  std::string placeholder;  // for the option's value; empty: the axis has no option
  std::string help;         // for the option
  std::vector<std::string> choices = {};
  bool allow_zero = false;  // only for numbers
  // The default. Empty: the device and the workloads decide. A later axis has exactly one default.
  std::string fallback = {};
  // Only for the first seven axes: an id has this text before the axis's value.
  std::string id_prefix = {};
  std::string Cell::*text = nullptr;
  std::int64_t Cell::*number = nullptr;
  std::vector<std::string> Axes::*texts = nullptr;
  std::vector<std::int64_t> Axes::*numbers = nullptr;
  // The modes and passes to which a later axis applies; empty: all. Other cells keep its default.
  std::vector<std::string> modes = {};
  std::vector<std::string> passes = {};
  ValuesOfAxis within = {};
  std::vector<std::string> devices = {};  // kinds of devices that allow values; empty: all
  bool local = false;                     // as OptionSpec::local

  bool came_later() const { return text == nullptr && number == nullptr; }
  bool applies_to(const Cell& cell) const;
};

using AxisTable = std::vector<Axis>;
// The first seven axes, then the later axes, the oldest first.
const AxisTable& axes();

// Returns the row of an axis, which must exist.
const Axis& axis_named(std::string_view name);

// Returns the end of the id, with the later axes that are not at their default:
// "backward=callables/optimizer=adamw". Empty: there are none.
std::string variant_of(const Cell& cell);

// Returns (name, value) of each axis in the order of ids. Documents write them next to the id.
std::vector<std::pair<std::string, std::string>> axis_values(const Cell& cell);

// Returns the task's value of a later axis, or "" for its default.
std::string_view later_axis(const WorkerTask& task, const std::string& name);
// Whether code is loaded at first use, which needs a process per cell (axis `prepare`).
bool at_first_use(const WorkerTask& task);

// The number of worker processes that run a task's step together (axis `ranks`).
std::int64_t ranks_of(const WorkerTask& task);

// Returns the planned values of an axis as text, or none for a later axis at its default.
std::vector<std::string> values_of(const Axes& planned, const Axis& axis);

// Returns the id without the part of a numeric axis among the first seven: "mlp/base/bf16/forward/b8/whole"
// without "warmup". Returns "" if `id` has another form, such as that of another program.
std::string id_without(const std::string& axis, const std::string& id);

// Copies each cell once per planned value of `axis`; the values vary fastest. A later axis stays at its
// default in cells that it does not apply to.
std::vector<Cell> expand(const std::vector<Cell>& cells, const Axis& axis, const Axes& planned);

// Returns the cells of one workload in the plan's order, where the last axis of the table varies fastest. The
// axis `left_out` is not expanded.
std::vector<Cell> cells_of(const std::string& workload, const std::string& preset, const Axes& planned,
                           const AxisTable& table = axes(), std::string_view left_out = "");

// Returns all grids of a plan. plan.axes is the first.
std::vector<Axes> grids_of(const PlanFacts& facts);

// Returns the cells of a plan, grid by grid. A cell of two grids appears only in the first.
std::vector<Cell> cells_of(const PlanFacts& facts,
                           const std::function<std::string(const std::string&)>& preset_of,
                           const AxisTable& table = axes());

// Returns the cell that a cell's speedup refers to: the same cell in the reference mode, without later axes
// that do not apply to that mode. The reference of a reference cell is the cell itself.
Cell reference_of(Cell cell, const AxisTable& table = axes());

// Returns the name of a cell's group: all modes, batches and launches of a (workload, preset, dtype, pass,
// warmup). Shards do not divide a group, because its cells are compared with each other.
std::string group_of(const Cell& cell);

// cell_of() makes the cell of one batch of a task. set_cell() fills in the task's parts that a cell decides.
Cell cell_of(const WorkerTask& task, std::int64_t batch);
void set_cell(WorkerTask& task, const Cell& cell);

}  // namespace graphbench::model
