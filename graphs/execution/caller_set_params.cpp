// IoForm::set_params: how pieces are recorded so that their nodes can be given other addresses, and the steps
// that do so. A library's kernel keeps the graph's own addresses, between copy nodes.
#include <algorithm>
#include <utility>

#include "graphs/execution/caller_executor.hpp"

namespace graphbench::execution {

void CallerExecutor::record_piece(Item& item) {
  if (form_ != IoForm::set_params) return CapturedExecutor::record_piece(item);
  for (std::size_t i = item.first; i < item.last; ++i) {
    const StepOp& op = op_at(i);
    void** const operands = operands_.of(i);
    if (!touches(op)) {
      record(op, operands);
    } else if (op.kernel->settable_nodes() > 0) {
      record_settable(item, op, operands);
    } else {
      record_with_copies(item, op, operands);
    }
  }
}

void CallerExecutor::record_settable(Item& item, const StepOp& op, void** operands) {
  const std::vector<GraphNode> before = stream_.nodes_so_far();
  record(op, operands);
  std::vector<GraphNode> nodes = nodes_since(before);
  if (nodes.size() != op.kernel->settable_nodes()) {
    throw Error(ErrorCode::internal, "capture op " + program_.ops()[op.op].name + ": it recorded " +
                                         std::to_string(nodes.size()) + " nodes instead of " +
                                         std::to_string(op.kernel->settable_nodes()));
  }
  settables_.push_back({&item, op.kernel, operands, std::move(nodes)});
  note_writes(op);
}

// Of an op that works on the caller's memory.
void CallerExecutor::note_writes(const StepOp& op) {
  for (const ir::ValueId id : op.operands) {
    if (caller_.moves(id) && writes(op, id)) own_is_current_[id] = false;
  }
}

void CallerExecutor::record_with_copies(Item& item, const StepOp& op, void** operands) {
  // What the op only writes has nothing to copy in: an output that it reads is an earlier op's.
  for (const ir::ValueId id : op.operands) {
    const bool reads = program_.value(id).kind == ir::ValueKind::input || !writes(op, id);
    if (caller_.moves(id) && reads && !own_is_current_[id]) record_copy(item, id, true);
  }
  record(op, operands);
  for (const ir::ValueId id : op.operands) {
    if (caller_.moves(id) && writes(op, id)) record_copy(item, id, false);
  }
}

void CallerExecutor::record_copy(Item& item, ir::ValueId id, bool in) {
  void* const own = addresses_[id];
  void* const callers = caller_.address(id, 0);
  const std::size_t bytes = program_.describe(id, batch_).bytes();
  const std::vector<GraphNode> before = stream_.nodes_so_far();
  stream_.copy_on_device(in ? own : callers, in ? callers : own, bytes);
  own_is_current_[id] = true;
  for (const GraphNode node : nodes_since(before)) {
    copies_.push_back({.id = id, .own = own, .bytes = bytes, .in = in, .item = &item, .node = node});
  }
}

// An output of the op, or an input that it declares to write.
bool CallerExecutor::writes(const StepOp& op, ir::ValueId id) const {
  const ir::Op& of_program = program_.ops()[op.op];
  return std::ranges::count(of_program.outputs, id) + std::ranges::count(of_program.mutates, id) > 0;
}

void CallerExecutor::set_nodes(std::size_t place) {
  for (const Settable& each : settables_)
    each.item->exec->set_operands(each.nodes, *each.kernel, each.operands);
  for (const Copy& each : copies_) {
    void* const callers = caller_.address(each.id, place);
    each.item->exec->set_copy(each.node,
                              {each.in ? each.own : callers, each.in ? callers : each.own, each.bytes});
  }
}

}  // namespace graphbench::execution
