// The table of a sweep's axes. The row of an axis has its option, its default, its place in ids, plans and
// labels, and the cells that it applies to. All code that handles axes loops over the rows.
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
  names,    // a list of words, which the plan checks
  name,     // one word, which the plan checks
  choices,  // a list of words from Axis::choices
  numbers,  // a list of whole numbers and ranges
};

struct ValuesOfAxis {
  std::string axis;
  std::vector<std::string> values;
  std::vector<std::string> except_modes = {};  // cells of these modes need none of the values
};

// The first seven axes have members in Cell and Axes, and are always shown. Later axes are in the maps
// `more_axes` as text, but only with values other than the default. So a new axis does not change the id,
// the labels and the plan hash of cells that do not use it.
struct Axis {
  std::string name;  // also names the option, the key in plan.axes, and the label
  AxisValues values = AxisValues::choices;
  std::string noun;                       // the name of one value in messages
  std::string placeholder = "WHICH,...";  // the name of the option's value in the help
  std::string help;                       // what it means; the table adds the choices and the default
  std::string by_default = {};            // the default in words, if it is not `fallback` as it stands
  std::vector<std::string> choices = {};
  bool allow_zero = false;
  // The default; of a row that leaves it out, the first choice. Empty in the table: the device or the
  // workloads decide, in the plan. A later axis has exactly one default.
  std::string fallback = {};
  // Only for the first seven axes: an id has this text before the axis's value.
  std::string id_prefix = {};
  std::string Cell::*text = nullptr;
  std::int64_t Cell::*number = nullptr;
  std::vector<std::string> Axes::*texts = nullptr;
  std::vector<std::int64_t> Axes::*numbers = nullptr;
  // The modes and passes to which a later axis applies; empty: all. Cells of other modes keep the default.
  std::vector<std::string> modes = {};
  std::vector<std::string> passes = {};
  ValuesOfAxis within = {};  // the axis applies only to cells with these values of another axis; empty: all
  std::vector<std::string> devices = {};  // kinds of devices on which the option is valid; empty: all
  bool torch = false;                     // the axis is only of steps of --torch, so its pass is of_its_own
  std::string also = {};  // the commands that take the option, besides --sweep, ab and bench: "ladder bill"
  bool local = false;     // a request to the service may not give the option
  std::string why = {};   // ends the refusal of a value that changes no cell

  // Whether the axis is workload, preset or dtype, which say what is measured: all grids of a plan share
  // them.
  bool says_what() const;
  bool came_later() const { return text == nullptr && number == nullptr; }
  bool applies_to(const Cell& cell) const;
};

using AxisTable = std::vector<Axis>;
// The first seven axes, then the later axes, the oldest first.
const AxisTable& axes();

// Returns the row of an axis, which must exist.
const Axis& axis_named(std::string_view name);

// Returns the later axes not at their default, such as "backward=callables/optimizer=adamw"; "" if none.
std::string variant_of(const Cell& cell);

// Returns (name, value) of each axis in the order of ids. Documents show these pairs next to the id.
std::vector<std::pair<std::string, std::string>> axis_values(const Cell& cell);

// Returns the task's value of a later axis, or "" for its default.
std::string_view later_axis(const WorkerTask& task, const std::string& name);
// Whether the task loads code at first use (axis `prepare`). Each cell then needs a process of its own.
bool at_first_use(const WorkerTask& task);

// The number of worker processes that run a task's step together (axis `ranks`).
std::int64_t ranks_of(const WorkerTask& task);

// Returns the planned values as text, or none for a later axis at its default.
std::vector<std::string> values_of(const Axes& planned, const Axis& axis);

// Returns `id` without the part of `axis`, one of the first seven; "" for an id of another form.
std::string id_without(const std::string& axis, const std::string& id);

// Returns one copy of each cell per planned value of `axis`. The copies of a cell are adjacent. A cell to
// which a later axis does not apply is returned once, with the axis's default.
std::vector<Cell> expand(const std::vector<Cell>& cells, const Axis& axis, const Axes& planned);

// Returns the cells of one workload. The table's last axis varies fastest; `left_out` is not expanded.
std::vector<Cell> cells_of(const std::string& workload, const std::string& preset, const Axes& planned,
                           const AxisTable& table = axes(), std::string_view left_out = "");

std::vector<Axes> grids_of(const PlanFacts& facts);

// Returns the cells of a plan, grid by grid. A cell of two grids appears only in the first.
std::vector<Cell> cells_of(const PlanFacts& facts,
                           const std::function<std::string(const std::string&)>& preset_of,
                           const AxisTable& table = axes());

// Returns the cell in another mode. The returned cell lacks later axes that do not apply to it.
Cell in_mode(Cell cell, std::string_view mode, const AxisTable& table = axes());
// Returns the cell of the reference mode with which the speedup of `cell` is computed.
Cell reference_of(Cell cell, const AxisTable& table = axes());

// Returns the name of the cell's group: "mlp/base/bf16/forward/w3". Shards do not divide a group, because its
// cells are compared with each other.
std::string group_of(const Cell& cell);

Cell cell_of(const WorkerTask& task, std::int64_t batch);
// Copies everything from `cell` to the task, except the batch.
void set_cell(WorkerTask& task, const Cell& cell);

}  // namespace graphbench::model
