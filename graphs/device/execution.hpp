// Kernels, streams, events, graphs and graph execs. device.hpp has the rules on threads, order and errors.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graphs/base/error.hpp"
#include "graphs/base/facts/graph.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench {

class Graph;
class Stream;

// A handle of a recorded node (on CUDA, a cudaGraphNode_t), valid as long as the Graph contains the node.
using GraphNode = void*;

struct KernelPath {
  std::string name;      // "conv2d:cudnn"; empty if there was no choice
  std::string fallback;  // why a better implementation was not chosen; empty if none was better
};

// An op prepared for one batch size: everything is looked up, chosen and allocated, and a launch only
// enqueues work. On a capturing stream the launch is recorded instead of run.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // `operands`: device addresses in the order of the OpCall, read only during the call.
  virtual void launch(Stream& stream, void* const* operands) = 0;
  // The input whose memory the first output may reuse if nothing reads the input afterwards and both have the
  // same size. The kernel then reads all input elements that an output element depends on before it writes
  // this element. Absent for an op that must not run in place.
  virtual std::optional<std::size_t> in_place_input() const { return std::nullopt; }
  virtual KernelPath path() const { return {}; }
  // The number of nodes that a launch records, if GraphExec::set_operands() can change all operand addresses
  // in these nodes. 0 if a library's opaque parameters contain some of the addresses.
  virtual std::size_t settable_nodes() const { return 0; }
};

// An event stores the device time at which the stream reaches it.
class Event {
 public:
  virtual ~Event() = default;
  virtual void record(Stream& stream) = 0;
  // Seconds of device time from `start` to this event. Synchronise first: the stream must have reached both.
  virtual double seconds_since(const Event& start) const = 0;
};

// A replay as plain pointers: call enqueue(exec, stream). The call touches few cache lines, because code and
// data leave the CPU's L1 and L2 while a step waits for milliseconds. Valid while exec and stream exist.
struct PreparedReplay {
  void (*enqueue)(void* exec, void* stream) = nullptr;
  void* exec = nullptr;
  void* stream = nullptr;
};

struct GraphUpdate {
  bool done = false;
  std::string node;    // the refused node, such as "kernel node 3"; empty if no single node was refused
  std::string reason;  // why the update was refused, as the device reports it
};

// `blocks` copies of `bytes` each, whose beginnings lie so many bytes apart.
struct StridedCopy {
  void* to = nullptr;
  std::size_t to_stride = 0;
  const void* from = nullptr;
  std::size_t from_stride = 0;
  std::size_t bytes = 0;
  std::size_t blocks = 1;
};

struct DeviceCopy {
  void* destination = nullptr;
  const void* source = nullptr;
  std::size_t bytes = 0;
};

// The instantiated form of a Graph, which can be launched any number of times. A change affects later
// launches, not launches that are already enqueued.
class GraphExec {
 public:
  virtual ~GraphExec() = default;
  // Makes the exec do the same as `graph`, a recording of the same nodes in the same order with other
  // parameters. Refuses any other `graph`; after a refusal the exec must not be launched again.
  virtual GraphUpdate update(Graph& graph) = 0;
  // Sets new addresses for a launch of `kernel`. `nodes`: the kernel's settable_nodes() nodes, in the order
  // of recording, in the graph from which this exec was instantiated; that graph must still exist.
  virtual void set_operands(const std::vector<GraphNode>& nodes, Kernel& kernel, void* const* operands) = 0;
  // `node`: recorded by copy_on_device().
  virtual void set_copy(GraphNode node, const DeviceCopy& copy) = 0;
  virtual void upload(Stream& stream) = 0;
  virtual void launch(Stream& stream) = 0;
  // Returns a replay for timed code: its enqueue() does the same as launch(stream).
  virtual PreparedReplay prepare_replay(Stream& stream);
  virtual void* native_handle() noexcept = 0;  // cudaGraphExec_t; null on the host device
};

// A recording: the result of a capture. It cannot be launched.
class Graph {
 public:
  virtual ~Graph() = default;
  virtual facts::GraphContents contents() const = 0;
  std::size_t node_count() const { return static_cast<std::size_t>(contents().nodes); }
  virtual std::vector<GraphNode> nodes() const = 0;  // in the order of recording
  // Describes the nodes for people, without the names of ops. This takes long.
  virtual std::vector<facts::DescribedNode> describe() const = 0;
  // Replaces each memset node of the device's own library calls, but not of a plugin's op, by an equivalent
  // kernel node. Returns their number. Call it before instantiate().
  virtual std::size_t replace_memset_nodes() { return 0; }
  virtual std::unique_ptr<GraphExec> instantiate() = 0;
  // Discards the recording. Stream::end_capture(Graph&) may store another one. Existing execs stay valid.
  virtual void reset() = 0;
  virtual void* native_handle() noexcept = 0;  // cudaGraph_t; null on the host device
};

class Stream {
 public:
  // Records the work of one arm of a branch on `stream`. If the function is empty, the arm does nothing.
  using Arm = std::function<void(Stream& stream)>;
  virtual ~Stream() = default;
  // Waits until all enqueued work is done. Throws if the work failed.
  virtual void synchronize() = 0;
  // Like synchronize(), but sleeps instead of spinning.
  virtual void synchronize_blocking() = 0;
  // Throws if the stream is already capturing.
  virtual void begin_capture() = 0;
  // On failure, clears the error, leaves the stream ready for the next capture and throws the error's code.
  virtual std::unique_ptr<Graph> end_capture() = 0;
  // Ends the capture into `graph`, a graph of this device, which discards its former recording.
  virtual void end_capture(Graph& graph) = 0;
  // Ends a failed capture, discards the recording and clears the error. Does nothing without a capture.
  virtual void abandon_capture() noexcept = 0;
  // Abandons the capture if `work` throws. If `into` is given, stores the recording there and returns null.
  template <typename Work>
  std::unique_ptr<Graph> capture(Work&& work, Graph* into = nullptr) {
    begin_capture();
    try {
      work();
    } catch (...) {
      abandon_capture();
      throw;
    }
    if (into == nullptr) return end_capture();
    end_capture(*into);
    return nullptr;
  }
  virtual bool capturing() const = 0;
  // The number of nodes recorded so far; 0 without a capture. May throw if the capture was invalidated.
  virtual std::size_t recorded_nodes() const = 0;
  // The nodes recorded so far, in the order of recording; empty without a capture.
  virtual std::vector<GraphNode> nodes_so_far() const = 0;
  virtual void fill_bytes(void* destination, int byte, std::size_t bytes) = 0;
  virtual void copy_to_host(void* host_destination, const void* source, std::size_t bytes) = 0;
  virtual void copy_to_device(void* destination, const void* host_source, std::size_t bytes) = 0;
  virtual void copy_on_device(void* destination, const void* source, std::size_t bytes) = 0;
  virtual void copy_strided(const StridedCopy& copy);
  // During a capture, records a node that runs one of `arms` at each replay. `selector` is the address of an
  // i32 on the device. With two arms (an IF node), arm 0 runs if the i32 is 0, else arm 1. With more (a
  // SWITCH node), the i32 is the index of the arm that runs; no arm runs if the index is out of range.
  virtual void record_branch(const void* selector, const std::vector<Arm>& arms) = 0;
  virtual void* native_handle() noexcept = 0;  // cudaStream_t; null on the host device

  // Later work on this stream starts when the device has reached the event's last recording. If the event
  // was recorded on a capturing stream, this stream joins the capture as a branch of the graph. Throws
  // Error(unsupported) on devices that cannot fork (DeviceExecution::can_fork_captures).
  virtual void wait(Event& event);
};

class DeviceExecution {
 public:
  virtual bool supports(ir::DType dtype) const = 0;
  // Only synchronization and Stream::wait() order work on different streams. A capture may be made on one
  // stream and replayed on another.
  virtual std::unique_ptr<Stream> make_stream() = 0;
  // The device's own stream, for callers that make no stream. It can be captured.
  virtual std::unique_ptr<Stream> default_stream() = 0;
  virtual std::unique_ptr<Event> make_event() = 0;
  // Prepares an op; a marker's launch does nothing. Throws Error(unsupported), which names an op that the
  // device cannot run.
  virtual std::unique_ptr<Kernel> make_kernel(const ir::OpCall& call) = 0;
  virtual bool can_fork_captures() const { return false; }
  // A kernel without operands. Its launch calls `call`, which enqueues or records its own work on the
  // launch's stream. On the host device, the stream's thread runs `call` in stream order. A recording there
  // stores `call`, and each replay runs it. launch() or the next synchronize() rethrows what `call` throws.
  virtual std::unique_ptr<Kernel> make_callback(std::function<void()> call);
  // Wraps another library's cudaGraph_t, which must outlive the result. May throw Error(unsupported).
  virtual std::unique_ptr<Graph> borrow_graph(void* native);
  // From now on, preparing a kernel times no candidates, and runs, records or loads no kernel ahead of use.
  // A cache of choices or a library's heuristic decides, and the first step that needs code loads it.
  virtual void load_at_first_use() {}
  // From now on our kernels are launched without programmatic edges: each starts after the kernel before it
  // has completed. Does nothing on devices whose launches always wait.
  virtual void use_full_edges() {}
  // Sets how kernels that are prepared from now on get a library's algorithms. True (the default): each size
  // has its own choices. False: sizes share their choices. Does nothing on devices without choices.
  virtual void choose_for_size(bool /*of_its_own*/) {}
  // Kernels prepared from now on use the workspace of this branch of a forked capture, so `linear` kernels
  // of different branches may run concurrently. Branch 0 is the default.
  virtual void prepare_on_branch(std::size_t /*branch*/) {}
  virtual void synchronize() = 0;

 protected:
  ~DeviceExecution() = default;  // owned as a Device
};

}  // namespace graphbench
