// The axes of a sweep, one row per axis: the option that gives its values, its default, how it enters ids,
// plans and labels, and where it applies. Options, plans, tasks, ids, labels and hashes all loop over these
// rows.
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
  names,    // any words: the plan knows which there are
  name,     // one such word
  choices,  // words of `choices`
  numbers,  // positive whole numbers, and ranges of them
};

// The first seven axes have members in Cell and Axes, and are always shown. A later axis has none: its values
// are text in the maps `more_axes`, which hold only values other than the default. So a cell at the default
// keeps the id, the labels and the plan hash that it had before the axis existed.
struct ValuesOfAxis {
  std::string axis;
  std::vector<std::string> values;
};

struct Axis {
  std::string name;  // name of the option, of the member of plan.axes, and of the label
  AxisValues values = AxisValues::choices;
  std::string noun;         // how messages call one value
  std::string placeholder;  // placeholder of the option's value; empty if no option gives it
  std::string help;         // of the option
  std::vector<std::string> choices = {};
  bool allow_zero = false;  // of numbers
  // The value of the option if it is not given. Empty: the device and the workloads decide. A later axis has
  // exactly one value here.
  std::string fallback = {};
  // The first seven axes have it: their part of an id is this text and the value.
  std::string id_prefix = {};
  std::string Cell::*text = nullptr;
  std::int64_t Cell::*number = nullptr;
  std::vector<std::string> Axes::*texts = nullptr;
  std::vector<std::int64_t> Axes::*numbers = nullptr;
  // The modes or passes in which a later axis has a meaning; empty: all. Elsewhere only its default is
  // planned.
  std::vector<std::string> modes = {};
  std::vector<std::string> passes = {};
  ValuesOfAxis within = {};
  std::vector<std::string> devices = {};  // kinds of devices; empty: all. On others a value is refused

  bool came_later() const { return text == nullptr && number == nullptr; }
  bool applies_to(const Cell& cell) const;
};

using AxisTable = std::vector<Axis>;
// The first seven axes, then later ones in the order in which they came.
const AxisTable& axes();

// The row with this name, which must exist.
const Axis& axis_named(std::string_view name);

// "backward=callables/optimizer=adamw": the end of the id, which says where later axes are away from their
// default. Empty: none is.
std::string variant_of(const Cell& cell);

// (name, value) in the order of ids: what documents say of a cell beside its id.
std::vector<std::pair<std::string, std::string>> axis_values(const Cell& cell);

// The task's value of a later axis; empty at its default.
std::string_view later_axis(const WorkerTask& task, const std::string& name);
// Whether its cells load code at the first use, each in a process of its own (axis `prepare`).
bool at_first_use(const WorkerTask& task);

// The planned values of an axis as text; empty for a later axis at its default.
std::vector<std::string> values_of(const Axes& planned, const Axis& axis);

// A cell's id without its part of one of the first seven axes that is a number:
// "mlp/base/bf16/forward/b8/whole" without "warmup". Empty if `id` is of another form, as another
// program's may be.
std::string id_without(const std::string& axis, const std::string& id);

// Every cell of `cells` at every planned value of `axis`, the values innermost. A later axis stays at its
// default in cells it does not apply to.
std::vector<Cell> expand(const std::vector<Cell>& cells, const Axis& axis, const Axes& planned);

// The cells of one workload in a plan's order, the axis that stands last in the table innermost. `left_out`:
// an axis that is not multiplied.
std::vector<Cell> cells_of(const std::string& workload, const std::string& preset, const Axes& planned,
                           const AxisTable& table = axes(), std::string_view left_out = "");

// The grids of a plan, plan.axes first.
std::vector<Axes> grids_of(const PlanFacts& facts);

// The cells of a plan in its order, grid by grid. A cell of two grids is planned once, in the first of them.
std::vector<Cell> cells_of(const PlanFacts& facts,
                           const std::function<std::string(const std::string&)>& preset_of,
                           const AxisTable& table = axes());

// The cell that a cell's speedup refers to: in the reference mode, and at the default of each axis that
// does not apply to that mode. Its own reference is itself.
Cell reference_of(Cell cell, const AxisTable& table = axes());

// A group, which shards do not divide, because its cells are compared with each other: all modes, batches and
// launches of a (workload, preset, dtype, pass, warmup).
std::string group_of(const Cell& cell);

// The cell of one batch of a worker's task; and the parts of a task that a cell decides.
Cell cell_of(const WorkerTask& task, std::int64_t batch);
void set_cell(WorkerTask& task, const Cell& cell);

}  // namespace graphbench::model
