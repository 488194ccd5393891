// Runs of ops that work on rows, of which a device may make one kernel.
#pragma once

#include <vector>

#include "graphs/ir/passes.hpp"

namespace graphbench::ir {

// Neighbouring ops, markers aside: add, bias_add, relu, gelu_tanh, rmsnorm and rope, whose
// first inputs have one shape of rows, and each of which but the first reads what one ahead of it makes.
struct Chain {
  std::vector<OpId> ops;         // in program order
  std::vector<ValueId> read;     // made outside of it
  std::vector<ValueId> written;  // made in it, and read by other ops, by the caller or by no op
  std::vector<ValueId> inside;   // made in it and read in it only
};

// The longest there are, of two ops at least, in program order; an op is in one at most, and each lies within
// one captured segment. Ops that are run again in a training step, or run others again, are in none.
std::vector<Chain> chains(const Program& program, const std::vector<Segment>& segments);

// Each op that could be in a chain, by itself.
std::vector<Chain> chains_of_one(const Program& program);

}  // namespace graphbench::ir
