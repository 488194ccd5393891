// The interface that every backend implements. A device has three parts: memory, execution and instruments.
// A caller uses only the parts that it needs. The interface does not depend on what is measured.
//
// Threads: only one thread at a time may use a Device and the objects that the Device made. Order: work on
// one Stream runs in the order of enqueueing; different streams have no order. Errors: every call throws
// graphbench::Error except destructors, which log once to stderr and continue.
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
  virtual int index() const { return 0; }  // N of "cuda:N"
  // Resets the physical device for this process: later allocations may have other addresses. Before the
  // call, destroy every object made by this Device or by another Device of the same physical device. After
  // the call, only destroy this Device. The next opened Device begins like the process's first, but choices
  // made by timing are kept. Throws if the device cannot be reset. The default does nothing.
  virtual void discard() {}
};

struct DeviceStatus {
  std::string id;  // "cuda:0", "host"
  bool available = false;
  std::string detail;                    // the device's name and memory, or why it is not available
  std::string advice;                    // how to make the device work; empty if it is available
  std::vector<std::string> dtypes = {};  // the dtypes of programs that it can run; empty if unavailable
  // Not available because this machine has no such device, or hides it: nothing is broken.
  bool absent = false;
};

// The status of a CUDA driver that works and sees no GPU. Says if CUDA_VISIBLE_DEVICES is set.
DeviceStatus no_gpu_status();

template <class Supports>
std::vector<std::string> supported_dtypes(const Supports& supports) {
  std::vector<std::string> names;
  for (const ir::DType dtype : {ir::DType::bf16, ir::DType::fp16, ir::DType::fp32}) {
    if (supports(dtype)) names.emplace_back(ir::name_of(dtype));
  }
  return names;
}

// What a device is opened for. `lent_step`: a step that another process lends us, such as Python's; a device
// then needs no library, and uses those that the process has loaded.
enum class Work { programs, lent_step };

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;
  virtual std::vector<DeviceStatus> devices() = 0;  // never throws for absent hardware
  virtual std::unique_ptr<Device> open(int index, Work work = Work::programs) = 0;
};

}  // namespace graphbench
