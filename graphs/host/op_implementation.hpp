// What runs an op on the host: everything chosen and allocated when it is made, bound to addresses
// either anew for each run (eager) or once and for all (a graph's node).
#pragma once

#include <memory>

struct dnnl_stream;

namespace graphbench::host {

// What the stream's thread gives to the work it runs.
struct StreamContext {
  dnnl_stream* library_stream = nullptr;  // oneDNN's, in order, made on the stream's thread
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
  // Resolves the operands once. The result does not outlive the implementation.
  virtual std::unique_ptr<BoundOp> bind(void* const* operands) = 0;
};

}  // namespace graphbench::host
