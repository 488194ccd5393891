// Measures how the driver's used memory grows over many instantiations.
#include "harness/measure/machine/exec_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

namespace graphbench::measure {
namespace {

constexpr double usual_quantum_bytes = 2 << 20;
// The most nodes to instantiate for one cost, which takes about 0.2 s. At 3 KB per node, 20 quanta need a
// fifth of these nodes. A cost that reaches this bound has a coarser resolution. A step with more nodes than
// that still gets `turns_min` turns.
constexpr std::int64_t nodes_max = 1 << 16;
constexpr std::int64_t turns_min = 4;
constexpr std::int64_t silent_turns_max = 4;

std::int64_t nodes_of(const StepGraphs& graphs) {
  std::int64_t nodes = 0;
  for (const Graph* graph : graphs) nodes += static_cast<std::int64_t>(graph->node_count());
  return nodes;
}

// The memory that the driver takes after the first turn with growth, up to the last turn with growth. This
// is the need of these turns' execs, with an error below one turn's need: execs may begin inside a quantum.
class Growth {
 public:
  explicit Growth(const MemoryUse& before) : used_(static_cast<double>(before.bytes)) {}

  bool add(std::int64_t steps, const MemoryUse& use) {
    const double used = static_cast<double>(use.bytes);
    const double taken = used - std::exchange(used_, used);
    if (taken <= 0) {
      silent_ = first_.has_value();  // before the first growth, execs may use memory the driver already had
      return false;
    }
    smallest_ = std::min(smallest_, taken);
    last_ = {steps, used};
    if (!first_) first_ = last_;
    return true;
  }

  double quanta() const { return first_ ? bytes() / quantum() : 0; }

  std::optional<ExecCost> cost() const {
    if (!first_ || bytes() < quantum()) return std::nullopt;
    const auto steps = static_cast<double>(last_.steps - first_->steps);
    return ExecCost{bytes() / steps, quantum() / steps};
  }

 private:
  struct Reading {
    std::int64_t steps = 0;
    double used = 0;
  };

  double bytes() const { return last_.used - first_->used; }
  // If every turn takes memory, a turn may take several quanta, so the result is at most the usual one.
  double quantum() const { return silent_ ? smallest_ : std::min(smallest_, usual_quantum_bytes); }

  double used_;
  double smallest_ = std::numeric_limits<double>::max();
  bool silent_ = false;
  std::optional<Reading> first_;
  Reading last_;
};

}  // namespace

// A turn instantiates the execs of `turn_steps` steps between two readings of used memory. `turn_steps`
// doubles after four successive turns without growth: usually, they need less than one quantum together.
std::optional<ExecCost> ExecMemory::cost_of(const std::vector<StepGraphs>& alike) {
  const std::optional<MemoryUse> before = device_.memory_use();
  if (alike.front().empty() || !before) return std::nullopt;
  const std::int64_t steps_max = nodes_max / std::max<std::int64_t>(nodes_of(alike.front()), 1);
  Growth growth(*before);
  std::int64_t steps = 0, turn_steps = 1, silent_turns = 0;
  for (std::int64_t turn = 0; turn < turns_min || steps < steps_max; ++turn) {
    for (std::int64_t i = 0; i < turn_steps; ++i, ++steps) {
      for (Graph* graph : alike[static_cast<std::size_t>(steps) % alike.size()])
        kept_.emplace_back(graph->instantiate())->upload(stream_);
    }
    stream_.synchronize();
    const std::optional<MemoryUse> use = device_.memory_use();
    if (!use) return std::nullopt;
    silent_turns = growth.add(steps, *use) ? 0 : silent_turns + 1;
    if (growth.quanta() >= static_cast<double>(quanta_)) break;
    if (silent_turns < silent_turns_max) continue;
    turn_steps *= 2;
    silent_turns = 0;
  }
  return growth.cost();
}

std::vector<std::optional<ExecCost>> ExecMemory::costs_of(const std::vector<StepGraphs>& steps) {
  std::map<std::pair<std::size_t, std::int64_t>, std::vector<std::size_t>> kinds;
  for (std::size_t i = 0; i < steps.size(); ++i) kinds[{steps[i].size(), nodes_of(steps[i])}].push_back(i);
  std::vector<std::optional<ExecCost>> costs(steps.size());
  for (const auto& [kind, places] : kinds) {
    std::vector<StepGraphs> alike;
    for (const std::size_t place : places) alike.push_back(steps[place]);
    try {
      const std::optional<ExecCost> cost = cost_of(alike);
      for (const std::size_t place : places) costs[place] = cost;
    } catch (const Error& error) {
      // The cost is absent if memory runs out, or if a conditional node forbids a second exec of its graph.
      if (error.code() != ErrorCode::out_of_memory && error.code() != ErrorCode::unsupported) throw;
    }
  }
  return costs;
}

}  // namespace graphbench::measure
