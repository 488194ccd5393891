// Passes: pure functions that compute facts about a Program for executors.
#pragma once

#include <string>
#include <vector>

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

// Consecutive ops [first, last) that `piecewise` either captures together or launches eagerly.
struct Segment {
  bool captured = false;
  OpId first = 0;
  OpId last = 0;
  friend bool operator==(const Segment&, const Segment&) = default;
};

// Cuts the program at splitting ops, their gradients, host ops and ops that cannot be captured. Markers
// belong to no segment, and a marker that is a splitting point ends a piece. Ignores unknown names.
std::vector<Segment> partition(const Program& program, const std::vector<std::string>& splits);

// Cuts captured segments again where a training step starts another graph. Kernel choices ignore these cuts,
// so the step runs the same kernels with any number of graphs.
std::vector<Segment> graphs_of(const Program& program, const std::vector<Segment>& segments);

// The op that writes a value, and the last op that reads it; equal if no op reads it.
struct LiveRange {
  OpId defined = 0;
  OpId last_use = 0;
};

// Returns one entry per value; only entries of activations and results have a meaning. A result lives until
// the program's last op, because the caller reads it after the step.
std::vector<LiveRange> live_ranges(const Program& program);

// The inputs that some op writes. A replay writes the graph's static buffer, not the caller's value.
std::vector<ValueId> mutated_inputs(const Program& program);

bool depends_on_batch(const Value& value);

// The states and parameters that some op writes.
std::vector<ValueId> mutated_state(const Program& program);

// The program and its pieces as text for people (`--dump-program`).
std::string dump(const Program& program, const std::vector<Segment>& segments, std::int64_t batch);

}  // namespace graphbench::ir
