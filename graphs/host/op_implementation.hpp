// Runs an op on the host. Making it chooses and allocates everything; addresses are bound for each run
// (eager) or once (a graph's node).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

struct dnnl_stream;

namespace graphbench::host {

class ActivityRecorder;

// The arguments that the stream's thread gives to the tasks that it runs.
struct StreamContext {
  dnnl_stream* library_stream = nullptr;  // oneDNN's in-order stream, made on this thread
  ActivityRecorder* recorder = nullptr;   // null unless a profiler records
};

// An op with its operands' addresses resolved; it only runs.
class BoundOp {
 public:
  virtual ~BoundOp() = default;
  virtual void run(StreamContext& context) = 0;
};

// An op at one batch. Runs of one device never overlap in time (HostDevice::execution_mutex), so an
// implementation may keep scratch memory and bindings of its own.
class OpImplementation {
 public:
  virtual ~OpImplementation() = default;
  // Binds the operands and runs the op.
  virtual void run(void* const* operands, StreamContext& context) = 0;
  // See Kernel::in_place_input().
  virtual std::optional<std::size_t> in_place_input() const { return std::nullopt; }
  // Resolves the operands once. The result does not outlive the implementation.
  virtual std::unique_ptr<BoundOp> bind(void* const* operands) = 0;

  // The name in activity records: the op's kind.
  const std::string& name() const noexcept { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  // True if it has more operands than a task has words. A task then has the address of a list of them.
  bool operands_listed() const noexcept { return operands_listed_; }
  void list_operands() noexcept { operands_listed_ = true; }

 private:
  std::string name_;
  bool operands_listed_ = false;
};

}  // namespace graphbench::host
