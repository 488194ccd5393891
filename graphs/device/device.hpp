// The interface every backend implements: devices, streams, events, memory, kernels, and
// Graph -> GraphExec. Nothing here knows what is measured.
//
// Threads: a Device and all it made are used from one thread at a time. Order: work enqueued on one
// Stream runs in that order; there is no other order. Errors: every call throws graphbench::Error
// except destructors, which log once to stderr and go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graphs/device/monitor.hpp"
#include "graphs/device/profiler.hpp"
#include "graphs/ir/error.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench {

class Device;
class Stream;

// Device memory with one owner. Move-only; freed on destruction.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Device& device, std::size_t bytes);  // throws Error(out_of_memory)
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  void* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  Device* device_ = nullptr;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Which way an op is computed where a device has several and the choice matters.
struct KernelPath {
  std::string name;      // "conv2d:cudnn"; empty: there was no choice
  std::string fallback;  // why the better way was not taken; empty where it was
};

// A prepared op at one batch: everything looked up, chosen and allocated. Launching it only
// enqueues. On a capturing stream the launch is recorded instead of run.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // `operands`: device addresses, inputs then outputs, as in the OpCall it was made from; read
  // during the call only.
  virtual void launch(Stream& stream, void* const* operands) = 0;
  // The input whose memory the first output may take over, where nothing reads that input afterwards and
  // both have the same size: each output element is written after the last read of that input's
  // memory that matters to it. Absent for an op that must not run in place.
  virtual std::optional<std::size_t> in_place_input() const { return std::nullopt; }
  virtual KernelPath path() const { return {}; }
};

// Two neighbouring ops of a step (ir::OpPair), offered for one kernel.
struct FusionCall {
  const ir::OpCall& first;
  const ir::OpCall& second;
  std::size_t position = 0;  // the input of `second` that is the output of `first`
  // What is launched right before and after the two, in steps that follow one another: a device that times
  // its kernels does so between them. Null: unknown.
  const ir::OpCall* ahead = nullptr;
  const ir::OpCall* behind = nullptr;
};

// A point in a stream's order, with a time.
class Event {
 public:
  virtual ~Event() = default;
  virtual void record(Stream& stream) = 0;
  // Seconds of device time from `start` to this, both reached (synchronise the stream first).
  virtual double seconds_since(const Event& start) const = 0;
};

// A replay with everything looked up: plain pointers, so that a step which comes after milliseconds of
// waiting, its code and data out of the near caches, fetches as few lines as it can. Valid as long as the
// exec and the stream.
struct PreparedReplay {
  void (*enqueue)(void* exec, void* stream) = nullptr;
  void* exec = nullptr;
  void* stream = nullptr;
};

// The instantiated form of a Graph: launched as often as wanted, never changed.
class GraphExec {
 public:
  virtual ~GraphExec() = default;
  virtual void upload(Stream& stream) = 0;  // moves it to the device ahead of its first launch
  virtual void launch(Stream& stream) = 0;  // enqueues one replay
  // What launch(stream) does, for a timed path.
  virtual PreparedReplay prepare_replay(Stream& stream);
  virtual void* native_handle() noexcept = 0;  // cudaGraphExec_t; null on the host device
};

// A recording: what a capture gave. It cannot be launched.
class Graph {
 public:
  virtual ~Graph() = default;
  virtual std::size_t node_count() const = 0;
  virtual std::unique_ptr<GraphExec> instantiate() = 0;
  virtual void* native_handle() noexcept = 0;  // cudaGraph_t; null on the host device
};

class Stream {
 public:
  virtual ~Stream() = default;
  // Waits until all enqueued work is done; throws what that work failed with.
  virtual void synchronize() = 0;
  // From here to end_capture every enqueue is recorded. Throws if the stream captures already.
  virtual void begin_capture() = 0;
  // Ends the capture. Where it failed, throws with the capture's code, the error cleared and the
  // stream ready for the next capture.
  virtual std::unique_ptr<Graph> end_capture() = 0;
  // Ends a capture whose recording threw, discards it and clears the error. Does nothing on a
  // stream that does not capture.
  virtual void abandon_capture() noexcept = 0;
  virtual bool capturing() const = 0;
  virtual void fill_bytes(void* destination, int byte, std::size_t bytes) = 0;
  virtual void copy_to_host(void* host_destination, const void* source, std::size_t bytes) = 0;
  virtual void copy_to_device(void* destination, const void* host_source, std::size_t bytes) = 0;
  virtual void copy_on_device(void* destination, const void* source, std::size_t bytes) = 0;
  virtual void* native_handle() noexcept = 0;  // cudaStream_t; null on the host device

  // As synchronize(), but the waiting thread sleeps until it is woken instead of spinning. Throws
  // Error(unsupported) where the device has no such wait.
  virtual void synchronize_blocking();
  // What is enqueued after this call starts once the event's last recording is reached. Where that was
  // recorded on a capturing stream, this stream joins the capture, and its work becomes a branch of
  // the graph. Throws Error(unsupported) on devices that cannot fork (Device::can_fork_captures).
  virtual void wait(Event& event);
};

struct DeviceInfo {
  std::string kind;  // "cuda", "host"
  int index = 0;
  std::string name;                // "NVIDIA H200"; on host the CPU's name
  std::string uuid;                // empty where there is none
  std::string compute_capability;  // "9.0"; empty on host
  std::size_t memory_bytes = 0;
  std::string driver;                            // "580.159.04"; empty on host
  std::string runtime;                           // "13.0"; empty on host
  std::map<std::string, std::string> libraries;  // "cublasLt" -> "13.1.0"
};

struct MemoryInfo {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  virtual bool supports(ir::DType dtype) const = 0;
  virtual std::unique_ptr<Stream> make_stream() = 0;
  virtual std::unique_ptr<Event> make_event() = 0;
  // Prepares a built-in or foreign op. Throws Error(unsupported) naming the op where this device has
  // no implementation. Markers get a Kernel whose launch does nothing.
  virtual std::unique_ptr<Kernel> make_kernel(const ir::OpCall& call) = 0;
  // One kernel that computes what both ops do, each result rounded as if it stood alone, where this
  // device has one that is faster than two; else null. Its operands are the first op's, then the second's.
  virtual std::unique_ptr<Kernel> make_fused_kernel(const FusionCall& call);

  // At least 512-byte aligned. Throws Error(out_of_memory), also where the memory is only promised
  // (a host that overcommits). Contents are undefined.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void deallocate(void* data) noexcept = 0;
  virtual MemoryInfo memory() const = 0;
  // Sizes that allocate() wastes nothing on; pools reserve in multiples of it.
  virtual std::size_t allocation_granularity() const = 0;
  // Memory that libraries hold for scratch space, made before any capture, not from pools.
  virtual std::size_t workspace_bytes() const = 0;

  // Fills `elements` with the values of graphs/ir/random_fill.hpp: the same bits on every device.
  virtual void fill(Stream& stream, void* destination, ir::DType dtype, std::size_t elements,
                    const ir::Init& init, std::uint64_t seed) = 0;
  // A 64-bit digest of `bytes` (a multiple of 4) that depends on every word and its position.
  // Synchronises the stream.
  virtual std::uint64_t digest(Stream& stream, const void* source, std::size_t bytes) = 0;
  // Waits for everything on the device.
  virtual void synchronize() = 0;

  // A kernel without operands that does nothing: what a launch costs at best. Throws
  // Error(unsupported) where there is none.
  virtual std::unique_ptr<Kernel> make_empty_kernel();
  virtual bool can_fork_captures() const { return false; }
  // The size of the last cache in front of the device's memory (a GPU's L2); 0 where unknown.
  virtual std::size_t cache_bytes() const { return 0; }
  // Seconds that a fixed number of the device's own clock cycles take just now, some tenths of a millisecond
  // in which it is all but idle: more where its clock is lowered. The stream is idle before and after. Absent
  // where the device has no clock of its own.
  virtual std::optional<double> clock_probe_seconds(Stream&) { return std::nullopt; }
  // Gives up all that this process has on the device, and where memory lies with it: a device opened after
  // this one was destroyed begins as if it were the process's first. Nothing made by this device, or by
  // another of the same physical one, may be left, and only its destruction may follow. What it chose by
  // timing it remembers. Throws where the device cannot be reset. A device that holds nothing of a process
  // does nothing.
  virtual void discard() {}
  // Loads what it needs at this call and not before. Never throws for a missing library.
  virtual ProfilerResult make_profiler();
  virtual MonitorResult make_monitor();
};

// One device a backend can see, or the reason why it can see none.
struct DeviceStatus {
  std::string id;  // "cuda:0", "host"
  bool available = false;
  std::string detail;  // available: the device's name and memory; else why not
  std::string advice;  // what would make it work; empty where available
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;
  virtual std::vector<DeviceStatus> devices() = 0;  // never throws for absent hardware
  virtual std::unique_ptr<Device> open(int index) = 0;
};

}  // namespace graphbench
