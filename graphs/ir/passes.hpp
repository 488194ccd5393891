// Passes over a Program are pure functions from a Program to facts that executors act on.
#pragma once

#include <string>
#include <vector>

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

// A run of consecutive ops [first, last) that `piecewise` treats alike.
struct Segment {
  bool captured = false;  // a piece; otherwise its ops are launched eagerly, one by one
  OpId first = 0;
  OpId last = 0;
  friend bool operator==(const Segment&, const Segment&) = default;
};

// Cuts the program at splitting ops, at host ops and at ops that cannot be captured, and keeps the order. The
// gradient of a splitting op splits too. Segments alternate; markers (ops that do nothing) end a piece and
// belong to none. A name that the program lacks splits nothing.
std::vector<Segment> partition(const Program& program, const std::vector<std::string>& splits);

// Cuts captured segments further, where a training step's form starts another graph. These cuts do not affect
// which kernels are chosen, so every form runs the same ones.
std::vector<Segment> graphs_of(const Program& program, const std::vector<Segment>& segments);

// Where a value is written first and touched last, as op indices; `defined` equals `last_use` for a
// value that is written and never read.
struct LiveRange {
  OpId defined = 0;
  OpId last_use = 0;
};

// One entry per value, which is meaningful for activations and results. A result's last use is the program's
// last op, because the caller reads it after the step.
std::vector<LiveRange> live_ranges(const Program& program);

// The inputs (not state) that some op writes: a replay would change what the caller passed in.
std::vector<ValueId> mutated_inputs(const Program& program);

bool depends_on_batch(const Value& value);

// The state values and parameters that some op writes.
std::vector<ValueId> mutated_state(const Program& program);

// The first op that no graph can hold, or null.
const Op* first_uncapturable(const Program& program);

// The program and its pieces as text for people (`--dump-program`).
std::string dump(const Program& program, const std::vector<Segment>& segments, std::int64_t batch);

}  // namespace graphbench::ir
