// One function a kind of op, each in a file of its own, and the one that chooses among them.
#pragma once

#include <memory>

#include "graphs/host/op_implementation.hpp"
#include "graphs/host/scratch_arena.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::host {

// Throws Error(unsupported) naming the op where its kind has no implementation here.
std::unique_ptr<OpImplementation> make_op(const ir::OpCall& call, ScratchArena& scratch);

std::unique_ptr<OpImplementation> make_linear(const ir::OpCall& call, ScratchArena& scratch);
std::unique_ptr<OpImplementation> make_conv2d(const ir::OpCall& call, ScratchArena& scratch);
std::unique_ptr<OpImplementation> make_softmax(const ir::OpCall& call, ScratchArena& scratch);
std::unique_ptr<OpImplementation> make_sdpa(const ir::OpCall& call, ScratchArena& scratch);
std::unique_ptr<OpImplementation> make_rmsnorm(const ir::OpCall& call);
std::unique_ptr<OpImplementation> make_rope_kv_append(const ir::OpCall& call, ScratchArena& scratch);
std::unique_ptr<OpImplementation> make_elementwise(const ir::OpCall& call);  // add, relu, gelu_tanh
std::unique_ptr<OpImplementation> make_foreign(const ir::OpCall& call);

}  // namespace graphbench::host
