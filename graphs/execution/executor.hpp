// An Executor runs one program at one batch size in one execution mode, from preparation to submitted steps.
// Each phase is a separate call, so that it can be timed.
//
// Order of calls: construct (prepares kernels) -> warm_up* -> capture -> instantiate -> upload -> submit*.
// For the eager executor, capture, instantiate and upload do nothing. Steps of several executors on one
// stream may be submitted in any order, but not concurrently. An executor's outputs are valid from the end of
// its step until the next step of any executor that shares its pool.
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

struct StepCounts {
  facts::GraphCounts graphs{};
  std::int64_t parts = 0;  // pieces, plus runs of eagerly launched ops between them
  std::int64_t kernels = 0;
  std::int64_t peak_bytes = 0;  // in the pool
  // How often a graph reads a gradient of another part of the step, at the address where that part wrote it.
  std::int64_t gradients_in_place = 0;
  bool unseen = false;  // a foreign step has graphs that it cannot lend
};

// How a step of the graph modes reaches the caller's memory (IoForm), and totals since the capture.
struct IoCounts {
  facts::Io step{};
  std::int64_t recordings = 0;
  std::int64_t updates = 0;
  std::int64_t updates_refused = 0;  // the piece was then instantiated again
  std::int64_t instantiations = 0;
  // Under copy_if_moved:
  std::int64_t copies = 0;
  std::int64_t copy_bytes = 0;
  std::int64_t copies_kept = 0;  // inputs that needed no copy
};

// What an executor works with. All objects that it refers to must outlive the executor.
struct ExecutionContext {
  Device& device;
  Stream& stream;
  const ir::Program& program;
  ProgramBuffers& buffers;
  MemoryPool& eager_pool;  // activations of eager steps
  MemoryPool* graph_pool;  // private pool of captures; null for eager
  // where piecewise splits: kinds of ops or patterns of op names; empty: the program's default splits
  std::vector<std::string> splits;
  // The stream that captures record on; null: `stream`. Steps always run on `stream`.
  Stream* capture_stream = nullptr;
  // Stores the pool's free blocks after each item of the step, for tests that poison them. Slows capture().
  bool record_free_ranges = false;
  bool replace_memset_nodes = false;
  // The caller's memory for steps of the graph modes; null: steps work on the buffers.
  CallerMemory* caller = nullptr;
  // With a caller, a step throws Error(address_moved) if an address differs from that of the capture.
  bool check_addresses = false;
  // Captures consecutive independent `linear` ops as parallel branches, on streams that fork and join.
  bool forked = false;
  // Remembers which op recorded which node, for Executor::describe(). Slows capture().
  bool name_nodes = false;
};

// The pieces and eagerly launched runs of a step; `splits` as in ExecutionContext. Throws Error, which names
// the op, if a single graph would have to contain an op that no graph can contain.
std::vector<ir::Segment> segments_of(ExecutionMode mode, const ir::Program& program,
                                     const std::vector<std::string>& splits);

// One action of a step: a graph launch, or an op launched eagerly. Either `graph` or `kernel` is set.
struct StepItem {
  GraphExec* graph = nullptr;
  Kernel* kernel = nullptr;
  void* const* operands = nullptr;  // of `kernel`
  ir::OpId op = 0;                  // the first op
  ir::OpId last_op = 0;
};

class Executor {
 public:
  virtual ~Executor() = default;
  // The eager executor over the same kernels, buffers and eager pool; an eager executor returns itself.
  virtual Executor& eager() = 0;
  virtual void warm_up() { eager().submit(); }
  virtual void capture() = 0;
  virtual void instantiate() = 0;
  virtual void upload() = 0;
  // Enqueues one step. Does not allocate from the heap, log or lock, except in IoForm::update and recapture,
  // which record graphs. Graph modes allocate no device memory; eager steps do while their pool grows.
  void submit() {
    if (only_replay_.enqueue != nullptr) {
      only_replay_.enqueue(only_replay_.exec, only_replay_.stream);
    } else {
      enqueue_step();
    }
  }
  // Enqueues copies that put back small state, from which each timed step starts. Call it between steps and
  // outside of the clocks, only if restores() is true.
  virtual void restore() {}
  bool restores() const noexcept { return restores_; }
  // From now on this executor launches the execs of `leader` and destroys its own. `leader` must outlive the
  // steps of this executor. Call take_execs() before each step of either executor. Returns false, and both
  // keep their own execs, if the graphs' topologies or launch attributes differ or an update is refused.
  virtual bool share_execs(Executor& /*leader*/) { return false; }
  // From now on the executors in `all`, which includes `this`, launch one exec. Its SWITCH node has one arm
  // per executor with that executor's step. take_execs() writes the number of its executor's arm to
  // `selector`, an i32 on the device. Throws Error(unsupported) if a step is not a single graph, or for more
  // than 256 executors.
  virtual void join_switch(const std::vector<Executor*>& all, void* selector);
  // Makes shared execs run this executor's step. Returns true if an update or a new selector was necessary.
  virtual bool take_execs() { return false; }
  virtual StepCounts counts() const = 0;
  // The address of output `id` of the last step. It may be in the caller's memory.
  virtual const void* output(ir::ValueId id) const = 0;
  virtual std::size_t next_place() const { return 0; }                 // in the caller's memory
  virtual std::optional<IoCounts> io() const { return std::nullopt; }  // absent without a caller

  // Two functions for tests and tools. items() returns the actions of a step in order; an eager executor's
  // operands are the addresses of its last step. free_ranges(): the pool's free blocks after each item, if
  // recorded.
  virtual std::vector<StepItem> items() const { return {}; }
  virtual std::vector<std::vector<MemoryRange>> free_ranges() const { return {}; }
  virtual std::vector<Graph*> graphs() const { return {}; }
  // An op is named only if the context names nodes.
  virtual std::vector<facts::DescribedPiece> describe() const { return {}; }

 protected:
  // Set if a step is a single graph launch: submit() then makes only this call.
  PreparedReplay only_replay_;
  bool restores_ = false;

 private:
  virtual void enqueue_step() = 0;  // a step that is not one graph launch
};

// Prepares every kernel of the program at `batch`. Throws Error for an unsupported op or out of memory; in
// mode whole also for host_op, not_capturable_op and no_gradient_capture; in both graph modes for
// mutated_input. The error names the op or value.
std::unique_ptr<Executor> make_executor(ExecutionMode mode, const ExecutionContext& context,
                                        std::int64_t batch);

// Throws Error(mutated_input). Its text names the first op that writes the input, and the option `instead`.
[[noreturn]] void refuse_mutated_input(const ir::Program& program, ir::ValueId input, const char* instead);

}  // namespace graphbench::execution
