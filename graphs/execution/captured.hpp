// The executor of the graph modes. `whole` has one piece that contains every op; `piecewise` has several
// pieces, and eagerly launched ops between them. The activations of the whole step are in one private pool.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graphs/execution/eager.hpp"
#include "graphs/execution/executor.hpp"
#include "graphs/execution/shared_execs.hpp"

namespace graphbench::execution {

class CapturedExecutor : public Executor {
 public:
  // `segments` contain the program's ops in order, without markers.
  CapturedExecutor(const ExecutionContext& context, std::int64_t batch,
                   const std::vector<ir::Segment>& segments);

  Executor& eager() override { return eager_; }
  void capture() override;
  void instantiate() override;
  void upload() override;
  bool share_execs(Executor& leader) override;
  void join_switch(const std::vector<Executor*>& all, void* selector) override;
  bool take_execs() override;
  StepCounts counts() const override;
  const void* output(ir::ValueId id) const override { return addresses_.at(id); }
  std::vector<StepItem> items() const override;
  std::vector<Graph*> graphs() const override;
  std::vector<std::vector<MemoryRange>> free_ranges() const override { return free_ranges_; }
  std::vector<facts::DescribedPiece> describe() const override;

 protected:
  // A piece or one eagerly launched op. It covers [first, last) of the step's ops.
  struct Item {
    bool captured = false;
    std::size_t first = 0;
    std::size_t last = 0;
    std::unique_ptr<Graph> graph = nullptr;
    std::unique_ptr<GraphExec> exec = nullptr;
    std::size_t rewritten_nodes = 0;
    std::map<GraphNode, ir::OpId> op_of_node = {};  // set if the context names nodes
  };
  // One action of enqueue_step(): a replay, or a kernel with its operands. It fits into one cache line.
  struct Enqueue {
    PreparedReplay replay;
    Kernel* kernel = nullptr;
    void** operands = nullptr;
    GraphExec* exec = nullptr;
  };

  void enqueue_step() override;
  void plan_addresses();
  void capture_piece(Item& item);
  std::vector<GraphNode> nodes_since(const std::vector<GraphNode>& before) const;
  // Called while the stream is capturing.
  virtual void record_piece(Item& item);
  void record(const StepOp& op, void** operands, Stream* on = nullptr);  // null: recorder_
  const StepOp& op_at(std::size_t i) const { return eager_.kernels().ops[i]; }

  // One per item. This is the first data member, so that enqueue_step() reads one cache line of this object.
  std::vector<Enqueue> enqueues_;
  Stream& stream_;
  Stream& recorder_;
  MemoryPool& pool_;
  bool record_free_ranges_;
  bool replace_memset_nodes_;
  std::int64_t parts_;
  EagerExecutor eager_;
  std::vector<Item> items_;
  OperandArrays operands_;
  std::vector<void*> addresses_;  // by ValueId
  const ir::Program& program_;

 private:
  // Records `linear` ops in parallel with those on `recorder_`.
  struct Fork {
    std::unique_ptr<Stream> stream;
    std::unique_ptr<Event> joined;
  };

  void add_items(const ir::Segment& segment);
  void record_side_by_side(std::size_t first, std::size_t count);
  std::vector<SharedExecs::Piece> pieces() const;
  void launch_shared_execs();
  void record_graph(Item& item);
  const ir::Op* refused_alone(const Item& item);
  std::int64_t gradients_in_place() const;

  bool name_nodes_;
  std::vector<Fork> forks_;
  std::unique_ptr<Event> forked_;  // null: captures do not fork
  SharedExecs shared_;
  const ir::Op* recording_ = nullptr;
  std::map<GraphNode, ir::OpId> op_of_node_;  // ops of the piece that is being captured
  std::vector<std::vector<MemoryRange>> free_ranges_;
};

}  // namespace graphbench::execution
