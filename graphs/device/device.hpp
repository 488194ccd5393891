// The interface that every backend implements. A device has three parts (memory, execution, instruments); a
// caller takes the parts that it needs. Nothing here knows what is measured.
//
// Threads: one thread at a time uses a Device and the objects that it made. Order: work on one Stream runs in
// the order of enqueueing; other work has no order. Errors: every call throws graphbench::Error except
// destructors, which log once to stderr and continue.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "graphs/device/execution.hpp"
#include "graphs/device/instruments.hpp"
#include "graphs/device/memory.hpp"

namespace graphbench {

class Device : public DeviceMemory, public DeviceExecution, public DeviceInstruments {
 public:
  virtual ~Device() = default;
  virtual const facts::DeviceFacts& info() const = 0;
  // The number of the device among those of its kind: N of "cuda:N".
  virtual int index() const { return 0; }
  // Resets the device for this process: memory that is allocated later may lie elsewhere. Before the call,
  // destroy every object made by this device or by another Device of the same physical device; after the
  // call, only destroy this Device. The next Device that is opened begins as if it were the process's first,
  // but choices made by timing are kept. Throws if the device cannot be reset. The default does nothing.
  virtual void discard() {}
};

// One device of a backend, or the reason why the backend has none.
struct DeviceStatus {
  std::string id;  // "cuda:0", "host"
  bool available = false;
  std::string detail;                    // the device's name and memory, or why it is not available
  std::string advice;                    // advice to make it work; empty if it is available
  std::vector<std::string> dtypes = {};  // the dtypes that programs on it can have; empty if unavailable
};

// The names of the dtypes of programs for which `supports` is true: "bf16", "fp32".
template <class Supports>
std::vector<std::string> supported_dtypes(const Supports& supports) {
  std::vector<std::string> names;
  for (const ir::DType dtype : {ir::DType::bf16, ir::DType::fp16, ir::DType::fp32}) {
    if (supports(dtype)) names.emplace_back(ir::name_of(dtype));
  }
  return names;
}

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;
  virtual std::vector<DeviceStatus> devices() = 0;  // never throws for absent hardware
  virtual std::unique_ptr<Device> open(int index) = 0;
};

}  // namespace graphbench
