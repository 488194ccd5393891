// The executor of the graph modes for a caller with its own memory. Each step first applies the IoForm to
// the pieces that use an address of the caller, and then replays the graphs.
#pragma once

#include <memory>
#include <vector>

#include "graphs/execution/captured.hpp"

namespace graphbench::execution {

class CallerExecutor final : public CapturedExecutor {
 public:
  // `context.caller` must not be null.
  CallerExecutor(const ExecutionContext& context, std::int64_t batch,
                 const std::vector<ir::Segment>& segments);

  void capture() override;
  void instantiate() override;
  void upload() override;
  const void* output(ir::ValueId id) const override;
  std::vector<Graph*> graphs() const override;
  std::size_t next_place() const override { return place_; }
  std::optional<IoCounts> io() const override;

 private:
  // Before a step, the caller's address of the moved value `id` is written to the slot `operand`.
  struct Use {
    ir::ValueId id = 0;
    void** operand = nullptr;
  };
  // A copy between the caller's memory and the graph's address. It is enqueued before or after the replay,
  // or is a node before or after a library's kernel.
  struct Copy {
    ir::ValueId id = 0;
    void* own = nullptr;
    std::size_t bytes = 0;
    bool in = true;
    Item* item = nullptr;  // with `node`; both null unless the copy is a node
    GraphNode node = nullptr;
  };
  struct Settable {
    Item* item = nullptr;
    Kernel* kernel = nullptr;
    void** operands = nullptr;
    std::vector<GraphNode> nodes;
  };
  // The execs of one place (IoForm::exec_per_set).
  struct OfPlace {
    std::vector<Item> items;  // one per item in `touched_`, with the same `first` and `last`
  };

  // The address that a value had at the capture, for values whose address no step may change.
  struct Held {
    ir::ValueId id = 0;
    const void* address = nullptr;
  };

  void enqueue_step() override;
  void check_addresses(std::size_t place) const;
  void record_piece(Item& item) override;
  void find_uses();
  void find_touched();
  void plan_copies();
  void capture_for_each_place();
  void point_at(std::size_t place);
  bool touches(const StepOp& op) const;
  bool writes(const StepOp& op, ir::ValueId id) const;
  void note_writes(const StepOp& op);
  void record_settable(Item& item, const StepOp& op, void** operands);
  void record_with_copies(Item& item, const StepOp& op, void** operands);
  void record_copy(Item& item, ir::ValueId id, bool in);
  void copy(bool in, std::size_t place);
  void copy_where_moved(bool in, std::size_t place);
  void update_pieces();
  void instantiate_again(std::size_t item);
  void set_nodes(std::size_t place);

  CallerMemory& caller_;
  std::int64_t batch_;
  IoForm form_;
  bool checks_;
  std::size_t place_ = 0;
  std::size_t last_place_ = 0;
  std::vector<Held> held_;  // empty if addresses are not checked before each step
  std::vector<Use> uses_;
  std::vector<std::size_t> touched_;  // positions in items_ of pieces that use a caller's address
  std::vector<Copy> copies_;
  std::vector<Settable> settables_;
  // By ValueId, while set_params records: true if the graph's own memory holds the caller's data.
  std::vector<bool> own_is_current_;
  std::vector<OfPlace> per_place_;
  std::vector<std::vector<Enqueue>> enqueues_of_place_;
  IoCounts counts_;  // totals; io() computes the means per step
};

}  // namespace graphbench::execution
