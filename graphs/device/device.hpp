// The interface every backend implements: a device in three parts (memory, execution, instruments), and the
// backend that opens it. Callers take the part they need. Nothing here knows what is measured.
//
// Threads: a Device and all it made are used from one thread at a time. Order: work enqueued on one
// Stream runs in that order; there is no other order. Errors: every call throws graphbench::Error
// except destructors, which log once to stderr and go on.
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
  // Gives up all that this process has on the device: memory handed out later may lie elsewhere. A device
  // opened after this one was destroyed begins as if it were the process's first. Nothing made by this
  // device, or by another of the same physical one, may be left, and only its destruction may follow. Choices
  // that it made by timing are kept. Throws where the device cannot be reset. A device that holds nothing of
  // a process does nothing.
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
