// Prepares graph modes for a caller's memory and runs their steps. A step is timed code: it reads prepared
// arrays, and allocates only in forms that record a graph in each step.
#include "graphs/execution/caller_executor.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace graphbench::execution {

CallerExecutor::CallerExecutor(const ExecutionContext& context, std::int64_t batch,
                               const std::vector<ir::Segment>& segments)
    : CapturedExecutor(context, batch, segments),
      caller_(*context.caller),
      batch_(batch),
      form_(caller_.settings().form),
      checks_(context.check_addresses) {}

bool CallerExecutor::touches(const StepOp& op) const {
  return std::ranges::any_of(op.operands, [&](ir::ValueId id) { return caller_.moves(id); });
}

// Finds the operands that get the caller's addresses. Under set_params, operands of a captured library kernel
// keep the graph's addresses.
void CallerExecutor::find_uses() {
  uses_.clear();
  if (copies(form_) || form_ == IoForm::fixed) return;
  for (const Item& item : items_) {
    for (std::size_t i = item.first; i < item.last; ++i) {
      const StepOp& op = op_at(i);
      if (form_ == IoForm::set_params && item.captured && op.kernel->settable_nodes() == 0) continue;
      for (std::size_t k = 0; k < op.operands.size(); ++k) {
        if (caller_.moves(op.operands[k])) uses_.push_back({op.operands[k], operands_.of(i) + k});
      }
    }
  }
}

void CallerExecutor::find_touched() {
  touched_.clear();
  const bool follows = !copies(form_) && form_ != IoForm::fixed;
  for (std::size_t at = 0; at < items_.size() && follows; ++at) {
    const Item& item = items_[at];
    bool touched = false;
    for (std::size_t i = item.first; i < item.last; ++i) touched = touched || touches(op_at(i));
    if (item.captured && touched) touched_.push_back(at);
  }
  counts_.step.pieces_touched = static_cast<std::int64_t>(touched_.size());
}

void CallerExecutor::plan_copies() {
  const auto add = [&](ir::ValueId id, bool in) {
    const std::size_t bytes = program_.describe(id, batch_).bytes();
    copies_.push_back({.id = id, .own = addresses_[id], .bytes = bytes, .in = in});
    counts_.step.copy_bytes += static_cast<std::int64_t>(bytes);
  };
  const std::vector<ir::ValueId> mutated = ir::mutated_inputs(program_);
  for (const ir::ValueId id : program_.values_of(ir::ValueKind::input)) {
    if (!caller_.moves(id) && form_ != IoForm::copy_if_moved) {
      counts_.step.copies_kept += 1;
      continue;
    }
    add(id, true);
    if (std::ranges::count(mutated, id) > 0) add(id, false);
  }
  for (const ir::ValueId id : program_.values_of(ir::ValueKind::output)) {
    if (caller_.moves(id)) add(id, false);
  }
  counts_.step.copies = static_cast<double>(copies_.size());
}

void CallerExecutor::capture() {
  counts_ = {};
  copies_.clear();
  settables_.clear();
  own_is_current_.assign(addresses_.size(), false);
  plan_addresses();
  find_uses();
  find_touched();
  if (copies(form_)) plan_copies();
  held_.clear();
  for (ir::ValueId id = 0; id < addresses_.size() && checks_; ++id) {
    const bool followed = caller_.moves(id) && !copies(form_) && form_ != IoForm::fixed;
    if (caller_.own_address(id) != nullptr && !followed) held_.push_back({id, addresses_[id]});
  }
  point_at(0);
  for (Item& item : items_) {
    if (item.captured) {
      capture_piece(item);
    } else {
      note_writes(op_at(item.first));
    }
  }
  if (form_ == IoForm::exec_per_set) capture_for_each_place();
  counts_.step.kernel_nodes_set = 0;
  for (const Settable& settable : settables_)
    counts_.step.kernel_nodes_set += static_cast<std::int64_t>(settable.nodes.size());
  if (form_ == IoForm::set_params) counts_.step.copy_nodes_set = static_cast<std::int64_t>(copies_.size());
}

// Starts at place 1: place 0 uses the graphs in items_.
void CallerExecutor::capture_for_each_place() {
  per_place_.clear();
  counts_.step.set_execs = static_cast<std::int64_t>(caller_.places() * touched_.size());
  for (std::size_t place = 1; place < caller_.places(); ++place) {
    point_at(place);
    std::vector<Item>& items = per_place_.emplace_back().items;
    for (const std::size_t at : touched_) {
      Item& item = items.emplace_back();
      item.captured = true;
      item.first = items_[at].first;
      item.last = items_[at].last;
      capture_piece(item);
    }
  }
}

void CallerExecutor::instantiate() {
  CapturedExecutor::instantiate();
  only_replay_ = {};  // because a step is more than one replay
  enqueues_of_place_.assign(1, enqueues_);
  for (OfPlace& place : per_place_) {
    std::vector<Enqueue>& enqueues = enqueues_of_place_.emplace_back(enqueues_);
    for (std::size_t i = 0; i < place.items.size(); ++i) {
      Item& item = place.items[i];
      item.exec = item.graph->instantiate();
      enqueues[touched_[i]] = {item.exec->prepare_replay(stream_), nullptr, nullptr, item.exec.get()};
    }
  }
}

void CallerExecutor::upload() {
  CapturedExecutor::upload();
  for (OfPlace& place : per_place_) {
    for (Item& item : place.items) item.exec->upload(stream_);
  }
}

const void* CallerExecutor::output(ir::ValueId id) const {
  return caller_.moves(id) ? caller_.address(id, last_place_) : CapturedExecutor::output(id);
}

std::vector<Graph*> CallerExecutor::graphs() const {
  std::vector<Graph*> graphs = CapturedExecutor::graphs();
  for (const OfPlace& place : per_place_) {
    for (const Item& item : place.items) graphs.push_back(item.graph.get());
  }
  return graphs;
}

std::optional<IoCounts> CallerExecutor::io() const {
  if (form_ == IoForm::fixed) return std::nullopt;
  IoCounts counts = counts_;
  const auto mean = [&](std::int64_t total) {
    return counts.step.steps == 0 ? 0 : static_cast<double>(total) / static_cast<double>(counts.step.steps);
  };
  counts.step.recordings = mean(counts.recordings);
  counts.step.updates = mean(counts.updates);
  counts.step.updates_refused = mean(counts.updates_refused);
  counts.step.instantiations = mean(counts.instantiations);
  if (form_ == IoForm::copy_if_moved) {
    counts.step.copies = mean(counts.copies);
    counts.step.copy_bytes = std::llround(mean(counts.copy_bytes));
    counts.step.copies_kept = mean(counts.copies_kept);
  }
  return counts;
}

void CallerExecutor::point_at(std::size_t place) {
  for (const Use& use : uses_) *use.operand = caller_.address(use.id, place);
}

void CallerExecutor::check_addresses(std::size_t place) const {
  for (const Held& each : held_) {
    const void* const now =
        form_ == IoForm::fixed ? caller_.address(each.id, place) : caller_.own_address(each.id);
    if (now == each.address) continue;
    const ir::Value& value = program_.value(each.id);
    throw Error(ErrorCode::address_moved,
                "replay program " + program_.name() + ": " + std::string(name_of(value.kind)) + " " +
                    value.name + " has moved since the capture, so a replay would use the old address; " +
                    "give --io update or recapture");
  }
}

void CallerExecutor::enqueue_step() {
  const std::size_t place = place_;
  if (checks_) [[unlikely]]
    check_addresses(place);
  switch (form_) {
    case IoForm::fixed:
      CapturedExecutor::enqueue_step();
      break;
    case IoForm::copy_in:
    case IoForm::copy_in_out:
    case IoForm::copy_out:
      copy(true, place);
      CapturedExecutor::enqueue_step();
      copy(false, place);
      break;
    case IoForm::copy_if_moved:
      copy_where_moved(true, place);
      CapturedExecutor::enqueue_step();
      copy_where_moved(false, place);
      break;
    case IoForm::set_params:
      point_at(place);
      set_nodes(place);
      CapturedExecutor::enqueue_step();
      break;
    case IoForm::update:
      point_at(place);
      update_pieces();
      CapturedExecutor::enqueue_step();
      break;
    case IoForm::recapture:
      point_at(place);
      for (const std::size_t at : touched_) {
        capture_piece(items_[at]);
        ++counts_.recordings;
        instantiate_again(at);
      }
      CapturedExecutor::enqueue_step();
      break;
    case IoForm::exec_per_set:
      point_at(place);  // sets the addresses of ops between the pieces
      std::swap(enqueues_, enqueues_of_place_[place]);
      CapturedExecutor::enqueue_step();
      std::swap(enqueues_, enqueues_of_place_[place]);
      break;
  }
  ++counts_.step.steps;
  last_place_ = place;
  place_ = place + 1 == caller_.places() ? 0 : place + 1;
}

void CallerExecutor::copy(bool in, std::size_t place) {
  for (const Copy& each : copies_) {
    if (each.in != in) continue;
    void* const callers = caller_.address(each.id, place);
    in ? caller_.copy_in(stream_, each.own, callers, each.bytes)
       : caller_.copy_out(stream_, callers, each.own, each.bytes);
  }
}

void CallerExecutor::copy_where_moved(bool in, std::size_t place) {
  for (const Copy& each : copies_) {
    if (each.in != in) continue;
    void* const callers = caller_.address(each.id, place);
    if (callers == each.own) {
      counts_.copies_kept += in ? 1 : 0;
      continue;
    }
    in ? caller_.copy_in(stream_, each.own, callers, each.bytes)
       : caller_.copy_out(stream_, callers, each.own, each.bytes);
    ++counts_.copies;
    counts_.copy_bytes += static_cast<std::int64_t>(each.bytes);
  }
}

void CallerExecutor::update_pieces() {
  for (const std::size_t at : touched_) {
    Item& item = items_[at];
    capture_piece(item);
    ++counts_.recordings;
    const GraphUpdate update = item.exec->update(*item.graph);
    if (update.done) [[likely]] {
      ++counts_.updates;
      continue;
    }
    if (counts_.updates_refused++ == 0) {
      const std::string node = update.node.empty() ? "" : ", " + update.node;
      counts_.step.refused = facts::Reason{std::string(name_of(ErrorCode::graph_update_failed)),
                                           "piece " + std::to_string(at) + node + ": " + update.reason};
    }
    instantiate_again(at);
  }
}

void CallerExecutor::instantiate_again(std::size_t at) {
  Item& item = items_[at];
  item.exec = item.graph->instantiate();
  enqueues_[at].exec = item.exec.get();
  enqueues_[at].replay = item.exec->prepare_replay(stream_);
  ++counts_.instantiations;
}

// set_params sets addresses of our kernels' nodes, and of copy nodes around a library's kernels.
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
  const std::vector<GraphNode> before = recorder_.nodes_so_far();
  record(op, operands);
  std::vector<GraphNode> nodes = nodes_since(before);
  if (nodes.size() != op.kernel->settable_nodes()) {
    throw Error(ErrorCode::internal, "capture op " + program_.ops()[op.op].name + ": the op recorded " +
                                         std::to_string(nodes.size()) + " nodes instead of " +
                                         std::to_string(op.kernel->settable_nodes()));
  }
  settables_.push_back({&item, op.kernel, operands, std::move(nodes)});
  note_writes(op);
}

void CallerExecutor::note_writes(const StepOp& op) {
  for (const ir::ValueId id : op.operands) {
    if (caller_.moves(id) && writes(op, id)) own_is_current_[id] = false;
  }
}

void CallerExecutor::record_with_copies(Item& item, const StepOp& op, void** operands) {
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
  const std::vector<GraphNode> before = recorder_.nodes_so_far();
  recorder_.copy_on_device(in ? own : callers, in ? callers : own, bytes);
  own_is_current_[id] = true;
  for (const GraphNode node : nodes_since(before)) {
    copies_.push_back({.id = id, .own = own, .bytes = bytes, .in = in, .item = &item, .node = node});
  }
}

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
