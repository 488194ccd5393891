// An Executor runs one program at one batch in one execution mode, from preparation to submitted steps. The
// phases are separate calls so that each can be timed by itself.
//
// Order of calls: construct (kernels are prepared) -> warm_up* -> capture -> instantiate -> upload ->
// submit*. The eager executor needs none of the middle three; calling them does nothing.
// Steps of several executors on one stream may be submitted in any serial order; an executor's
// outputs are valid from the end of its step until the next step of any executor that shares its pool.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/base/facts/graph.hpp"
#include "graphs/device/device.hpp"
#include "graphs/execution/caller.hpp"
#include "graphs/execution/pool/memory_pool.hpp"
#include "graphs/execution/program_buffers.hpp"
#include "graphs/ir/passes.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::execution {

enum class ExecutionMode : std::uint8_t { eager, whole, piecewise };
std::string_view name_of(ExecutionMode mode) noexcept;
std::optional<ExecutionMode> find_mode(std::string_view name) noexcept;

// The parts of one step.
struct StepCounts {
  facts::GraphCounts graphs{};
  std::int64_t parts = 0;       // number of pieces, and of runs of ops between them
  std::int64_t kernels = 0;     // prepared for the step
  std::int64_t peak_bytes = 0;  // the most bytes that values hold in the pool at once
};

// How a step of the graph modes reaches its caller's memory (IoForm), and how often it had to change the
// graph.
struct IoCounts {
  facts::Io step{};
  // Since the capture, over all steps.
  std::int64_t recordings = 0;
  std::int64_t updates = 0;
  std::int64_t updates_refused = 0;  // updates that were refused, so that the piece was instantiated again
  std::int64_t instantiations = 0;
  // Copies of copy_if_moved since the capture.
  std::int64_t copies = 0;
  std::int64_t copy_bytes = 0;
  std::int64_t copies_kept = 0;
};

// The objects that an executor works with; all outlive it.
struct ExecutionContext {
  Device& device;
  Stream& stream;
  const ir::Program& program;
  ProgramBuffers& buffers;
  pool::MemoryPool& eager_pool;  // activations of eager steps
  pool::MemoryPool* graph_pool;  // private pool of captures; null for eager
  // The splitting points of piecewise. Empty: those of the program.
  std::vector<std::string> splits;
  // The stream that captures record on. Null: `stream`, which steps always run on.
  Stream* capture_stream = nullptr;
  // Whether to keep, for every item of the step, the pool's free blocks when the item was captured. Tests use
  // it to poison free memory during a step. It costs time in capture().
  bool record_free_ranges = false;
  // Graph::replace_memset_nodes() after each capture. Off: graphs are instantiated as recorded.
  bool replace_memset_nodes = false;
  // The memory that steps of the graph modes work on. Null: they work on the buffers.
  CallerMemory* caller = nullptr;
  // With a caller: compare its addresses before each step with those that the graphs were captured with.
  bool check_addresses = false;
  // Remember which op recorded which node, for Executor::describe(). It costs time in capture().
  bool name_nodes = false;
};

// The pieces and eagerly launched runs of a step in the mode; `splits` as in ExecutionContext. Throws Error,
// which names the op, if one graph is to hold an op that no graph can hold.
std::vector<ir::Segment> segments_of(ExecutionMode mode, const ir::Program& program,
                                     const std::vector<std::string>& splits);

// One enqueue of a step: a graph launch, or an op launched eagerly. Either `graph` or `kernel` is set.
struct StepItem {
  GraphExec* graph = nullptr;
  Kernel* kernel = nullptr;
  void* const* operands = nullptr;  // the kernel's
  ir::OpId op = 0;                  // the first op that it runs
  ir::OpId last_op = 0;
};

class Executor {
 public:
  virtual ~Executor() = default;
  // The eager executor over the same kernels, buffers and eager pool. An eager executor returns itself.
  virtual Executor& eager() = 0;
  // Enqueues one eager step.
  virtual void warm_up() { eager().submit(); }
  virtual void capture() = 0;
  virtual void instantiate() = 0;
  virtual void upload() = 0;
  // Enqueues one step. Neither allocates from the heap nor logs nor locks. In the graph modes it makes
  // no device allocation either; an eager step makes one only until its pool has grown to fit.
  void submit() {
    if (only_replay_.enqueue != nullptr) {
      only_replay_.enqueue(only_replay_.exec, only_replay_.stream);
    } else {
      enqueue_step();
    }
  }
  // From here on launches the execs of `leader`, which outlives its steps, and gives its own up, where both
  // have graphs of one topology. take_execs() then goes ahead of each step of either. Returns false where
  // an update is refused, and both keep their own. Throws Error(graph_update_failed) where an update is done
  // and a node would keep a launch attribute of the leader's.
  virtual bool share_execs(Executor& /*leader*/) { return false; }
  // Updates shared execs to this one's graphs, unless they are; returns whether it did.
  virtual bool take_execs() { return false; }
  virtual StepCounts counts() const = 0;
  // The place of output `id` of the last step, which may be in the caller's memory.
  virtual const void* output(ir::ValueId id) const = 0;
  // The place in the caller's memory that the next step works on.
  virtual std::size_t next_place() const { return 0; }
  virtual std::optional<IoCounts> io() const { return std::nullopt; }  // absent: without a caller

  // For programs that inspect steps, never for timing: the enqueues of a step in order (an eager executor's
  // with the addresses of its last step), and, where recorded, the free blocks of the pool after each of
  // them.
  virtual std::vector<StepItem> items() const = 0;
  virtual const std::vector<std::vector<pool::MemoryRange>>& free_ranges() const = 0;
  // The recordings of a step's pieces in order, from capture() on. An eager executor has none.
  virtual std::vector<Graph*> graphs() const { return {}; }
  // Describes the recordings of the step's pieces. An op is named only if the context names nodes.
  virtual std::vector<facts::DescribedPiece> describe() const { return {}; }

 protected:
  // Set if a step is one graph launch: submit() then is that call and nothing else.
  PreparedReplay only_replay_;

 private:
  virtual void enqueue_step() = 0;  // every other step
};

// Prepares every kernel of the program at `batch`. Throws Error: unsupported op, out of memory, and
// for the graph modes host_op, not_capturable_op (whole only) and mutated_input, naming the op or value.
std::unique_ptr<Executor> make_executor(ExecutionMode mode, const ExecutionContext& context,
                                        std::int64_t batch);

// Throws Error(mutated_input), which names the first op that writes the input and the option to give
// `instead`.
[[noreturn]] void refuse_mutated_input(const ir::Program& program, ir::ValueId input, const char* instead);

}  // namespace graphbench::execution
