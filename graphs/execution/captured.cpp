// Captures pieces into one private pool in replay order, and replays the pieces.
#include "graphs/execution/captured.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "graphs/base/text.hpp"

namespace graphbench::execution {
namespace {

constexpr std::size_t switch_arms_max = 256;  // take_execs() writes an arm's number as one byte

// Gives every activation an address. Two rules suffice for a shared pool: capture in replay order, and keep a
// value until its last reader is captured. At the end all blocks are free, so the next, smaller batch reuses
// them.
void lay_out(const StepKernels& kernels, MemoryPool& pool, std::vector<void*>& addresses,
             const std::function<void(std::size_t op)>& after) {
  HeldBlocks held(pool, addresses.size());
  for (std::size_t i = 0; i < kernels.ops.size(); ++i) {
    const StepOp& op = kernels.ops[i];
    held.allocate(op, kernels.value_bytes, addresses);
    for (const ir::ValueId value : op.releases) held.release(value);
    after(i);
  }
}

}  // namespace

CapturedExecutor::CapturedExecutor(const ExecutionContext& context, std::int64_t batch,
                                   const std::vector<ir::Segment>& segments)
    : stream_(context.stream),
      recorder_(context.capture_stream != nullptr ? *context.capture_stream : context.stream),
      pool_(*context.graph_pool),
      record_free_ranges_(context.record_free_ranges),
      replace_memset_nodes_(context.replace_memset_nodes),
      parts_(static_cast<std::int64_t>(segments.size())),
      eager_(context, batch),
      operands_(eager_.kernels()),
      addresses_(context.program.values().size()),
      program_(context.program),
      name_nodes_(context.name_nodes) {
  for (ir::ValueId id = 0; id < addresses_.size(); ++id) addresses_[id] = context.buffers.address(id);
  for (const ir::Segment& segment : segments) add_items(segment);
  std::size_t side = 1;
  for (const StepOp& op : eager_.kernels().ops) side = std::max(side, op.side_by_side);
  if (side > 1) forked_ = context.device.make_event();
  for (std::size_t i = 1; i < side; ++i)
    forks_.push_back({context.device.make_stream(), context.device.make_event()});
}

void CapturedExecutor::add_items(const ir::Segment& segment) {
  const std::vector<StepOp>& ops = eager_.kernels().ops;
  Item piece{.captured = true, .first = ops.size()};
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].op < segment.first || ops[i].op >= segment.last) continue;
    if (segment.captured) {
      piece.first = std::min(piece.first, i);
      piece.last = i + 1;
    } else {
      items_.push_back({.first = i, .last = i + 1});
    }
  }
  if (piece.last > 0) items_.push_back(std::move(piece));
}

// Sets the addresses of all operands. On return the outputs' memory is free in the pool, so outputs must be
// read before any other step that uses the pool.
void CapturedExecutor::plan_addresses() {
  const StepKernels& kernels = eager_.kernels();
  free_ranges_.clear();
  auto item = items_.begin();
  lay_out(kernels, pool_, addresses_, [&](std::size_t op) {
    if (!record_free_ranges_ || op + 1 != item->last) return;
    free_ranges_.push_back(pool_.free_ranges());
    ++item;
  });
  for (std::size_t i = 0; i < kernels.ops.size(); ++i) {
    void** operand = operands_.of(i);
    for (const ir::ValueId value : op_at(i).operands) *operand++ = addresses_[value];
  }
}

// Records the op. Throws if a plugin's op records no node. Our kernels always record a node, and are not
// checked, because a check takes time.
void CapturedExecutor::record(const StepOp& op, void** operands, Stream* on) {
  recording_ = &program_.ops()[op.op];
  Stream& stream = on != nullptr ? *on : recorder_;
  const std::size_t before = op.must_record != nullptr ? stream.recorded_nodes() : 0;
  const std::vector<GraphNode> earlier = name_nodes_ ? recorder_.nodes_so_far() : std::vector<GraphNode>();
  op.kernel->launch(stream, operands);
  if (name_nodes_) {
    for (const GraphNode node : nodes_since(earlier)) op_of_node_[node] = op.op;
  }
  if (op.must_record == nullptr || stream.recorded_nodes() > before) return;
  throw Error(ErrorCode::recorded_nothing,
              "capture op " + op.must_record->name + " (" + op.must_record->kind +
                  "): the launch function recorded no node, so a replay would skip the op; make it work on "
                  "the given stream, or flag the op GB_OP_HOST or GB_OP_NOT_CAPTURABLE");
}

void CapturedExecutor::record_piece(Item& item) {
  for (std::size_t i = item.first; i < item.last;) {
    const std::size_t side = std::min(op_at(i).side_by_side, item.last - i);
    record_side_by_side(i, side);
    i += side;
  }
}

void CapturedExecutor::record_side_by_side(std::size_t first, std::size_t count) {
  if (count > 1) forked_->record(recorder_);
  for (std::size_t i = 1; i < count; ++i) {
    Fork& fork = forks_[i - 1];
    fork.stream->wait(*forked_);
    record(op_at(first + i), operands_.of(first + i), fork.stream.get());
    fork.joined->record(*fork.stream);
  }
  record(op_at(first), operands_.of(first));
  for (std::size_t i = 1; i < count; ++i) recorder_.wait(*forks_[i - 1].joined);
}

std::vector<GraphNode> CapturedExecutor::nodes_since(const std::vector<GraphNode>& before) const {
  std::vector<GraphNode> nodes;
  for (const GraphNode node : recorder_.nodes_so_far()) {
    if (!contains(before, node)) nodes.push_back(node);
  }
  return nodes;
}

void CapturedExecutor::record_graph(Item& item) {
  std::unique_ptr<Graph> made = recorder_.capture(
      [&] {
        record_piece(item);
        recording_ = nullptr;  // an error at the capture's end belongs to no single op
      },
      item.graph.get());
  if (made != nullptr) item.graph = std::move(made);
}

// An op that the device refuses to record even in a separate capture; null if there is none.
const ir::Op* CapturedExecutor::refused_alone(const Item& item) {
  for (std::size_t i = item.first; i < item.last; ++i) {
    try {
      static_cast<void>(recorder_.capture([&] { op_at(i).kernel->launch(recorder_, operands_.of(i)); }));
    } catch (const Error&) {
      return &program_.ops()[op_at(i).op];
    }
  }
  return nullptr;
}

// Captures a piece. Adds the op to errors, because a device refuses ops and recordings without naming an op.
void CapturedExecutor::capture_piece(Item& item) {
  try {
    record_graph(item);
  } catch (const Error& error) {
    if (!refuses_capture(error.code()) || error.code() == ErrorCode::recorded_nothing) throw;
    const ir::Op* op = std::exchange(recording_, nullptr);
    if (op == nullptr) op = refused_alone(item);
    if (op == nullptr) throw;
    throw Error(error.code(), "capture op " + op->name + " (" + op->kind + "): " + error.what());
  }
  if (name_nodes_) item.op_of_node = std::exchange(op_of_node_, {});
  item.rewritten_nodes = replace_memset_nodes_ ? item.graph->replace_memset_nodes() : 0;
}

void CapturedExecutor::capture() {
  plan_addresses();
  for (Item& item : items_) {
    if (item.captured) capture_piece(item);
  }
}

void CapturedExecutor::instantiate() {
  enqueues_.clear();
  only_replay_ = {};
  for (Item& item : items_) {
    if (item.captured) {
      GRAPHBENCH_ASSERT(item.graph != nullptr);
      item.exec = item.graph->instantiate();
      enqueues_.push_back({item.exec->prepare_replay(stream_), nullptr, nullptr, item.exec.get()});
    } else {
      enqueues_.push_back({{}, eager_.kernels().ops[item.first].kernel, operands_.of(item.first), nullptr});
    }
  }
  if (enqueues_.size() == 1) only_replay_ = enqueues_.front().replay;
}

void CapturedExecutor::upload() {
  for (Item& item : items_) {
    if (item.captured) item.exec->upload(stream_);
  }
}

void CapturedExecutor::enqueue_step() {
  for (const Enqueue& enqueue : enqueues_) {
    if (enqueue.replay.enqueue != nullptr) {
      enqueue.replay.enqueue(enqueue.replay.exec, enqueue.replay.stream);
    } else {
      enqueue.kernel->launch(stream_, enqueue.operands);
    }
  }
}

std::vector<SharedExecs::Piece> CapturedExecutor::pieces() const {
  std::vector<SharedExecs::Piece> pieces;
  for (const Item& item : items_) {
    if (item.captured) pieces.push_back({item.graph.get(), item.exec.get()});
  }
  return pieces;
}

bool CapturedExecutor::share_execs(Executor& other) {
  auto& leader = dynamic_cast<CapturedExecutor&>(other);
  const bool shares = shared_.join(leader.shared_, pieces(), leader.pieces(), [this] {
    instantiate();
    upload();
  });
  if (!shares) return false;
  static_cast<void>(take_execs());
  launch_shared_execs();
  return true;
}

void CapturedExecutor::launch_shared_execs() {
  const std::vector<GraphExec*> execs = shared_.execs();
  std::size_t piece = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (!items_[i].captured) continue;
    enqueues_[i].exec = execs[piece++];
    enqueues_[i].replay = enqueues_[i].exec->prepare_replay(stream_);
    items_[i].exec = nullptr;
  }
  if (enqueues_.size() == 1) only_replay_ = enqueues_.front().replay;
}

void CapturedExecutor::join_switch(const std::vector<Executor*>& all, void* selector) {
  std::vector<SharedExecs*> sides;
  std::vector<Stream::Arm> arms;
  for (Executor* each : all) {
    auto* const executor = dynamic_cast<CapturedExecutor*>(each);
    if (executor == nullptr || executor->items_.size() != 1 || all.size() > switch_arms_max)
      return Executor::join_switch(all, selector);
    sides.push_back(&executor->shared_);
    arms.emplace_back([executor](Stream& on) {
      const Item& item = executor->items_.front();
      for (std::size_t i = item.first; i < item.last; ++i)
        executor->record(executor->op_at(i), executor->operands_.of(i), &on);
    });
  }
  std::unique_ptr<GraphExec> exec =
      recorder_.capture([&] { recorder_.record_branch(selector, arms); })->instantiate();
  exec->upload(stream_);
  stream_.fill_bytes(selector, 0, sizeof(std::int32_t));
  SharedExecs::join_switch(sides, std::move(exec), selector);
  for (Executor* each : all) dynamic_cast<CapturedExecutor&>(*each).launch_shared_execs();
}

bool CapturedExecutor::take_execs() {
  if (!shared_.lacks_execs()) return false;
  shared_.take(stream_, pieces());
  return true;
}

// Compares the addresses that the step's launches have.
std::int64_t CapturedExecutor::gradients_in_place() const {
  std::map<ir::ValueId, std::pair<const Item*, const void*>> written;
  std::set<std::pair<ir::ValueId, const Item*>> taken;
  for (const Item& item : items_) {
    for (std::size_t i = item.first; i < item.last; ++i) {
      const ir::Op& op = program_.ops()[op_at(i).op];
      const bool backward = op.phase == ir::Phase::backward || op.phase == ir::Phase::accumulate;
      const std::vector<ir::ValueId>& values = op_at(i).operands;
      for (std::size_t k = 0; k < values.size(); ++k) {
        const void* const at = operands_.of(i)[k];
        const auto from = written.find(values[k]);
        if (k >= op.inputs.size()) {
          if (backward || op.kind.ends_with("_loss")) written[values[k]] = {&item, at};
        } else if (backward && item.captured && from != written.end() && from->second.first != &item &&
                   from->second.second == at) {
          taken.emplace(values[k], &item);
        }
      }
    }
  }
  return static_cast<std::int64_t>(taken.size());
}

StepCounts CapturedExecutor::counts() const {
  StepCounts counts;
  counts.gradients_in_place = gradients_in_place();
  counts.parts = parts_;
  counts.kernels = static_cast<std::int64_t>(eager_.kernels().kernels.size());
  counts.peak_bytes = static_cast<std::int64_t>(eager_.kernels().peak_bytes);
  facts::GraphCounts& graphs = counts.graphs;
  for (const Item& item : items_) {
    const auto ops = static_cast<std::int64_t>(item.last - item.first);
    if (item.captured) {
      ++graphs.pieces;
      graphs.captured_ops += ops;
      if (item.graph != nullptr) add(graphs.contents, item.graph->contents());
      graphs.rewritten_nodes += static_cast<std::int64_t>(item.rewritten_nodes);
    } else {
      graphs.eager_ops += ops;
    }
  }
  return counts;
}

std::vector<Graph*> CapturedExecutor::graphs() const {
  std::vector<Graph*> graphs;
  for (const Item& item : items_) {
    if (item.graph != nullptr) graphs.push_back(item.graph.get());
  }
  return graphs;
}

std::vector<facts::DescribedPiece> CapturedExecutor::describe() const {
  std::vector<facts::DescribedPiece> described;
  for (const Item& item : items_) {
    if (item.graph == nullptr) continue;
    std::vector<facts::DescribedNode>& nodes = described.emplace_back().nodes;
    nodes = item.graph->describe();
    const std::vector<GraphNode> handles = item.graph->nodes();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto named = item.op_of_node.find(handles[i]);
      if (named != item.op_of_node.end()) nodes[i].op = program_.ops()[named->second].name;
    }
  }
  return described;
}

std::vector<StepItem> CapturedExecutor::items() const {
  std::vector<StepItem> items;
  for (std::size_t i = 0; i < enqueues_.size(); ++i) {
    const Enqueue& enqueue = enqueues_[i];
    items.push_back({enqueue.exec, enqueue.kernel, enqueue.operands, op_at(items_[i].first).op,
                     op_at(items_[i].last - 1).op});
  }
  return items;
}

}  // namespace graphbench::execution
