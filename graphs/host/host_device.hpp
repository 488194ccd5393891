// The host device: this machine's CPU behind the same interface as a GPU. CPU threads run the ops,
// asynchronously to the thread that submits them.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "graphs/device/device.hpp"
#include "graphs/device/scratch_arena.hpp"
#include "graphs/host/cpu.hpp"
#include "graphs/host/host_kernel.hpp"
#include "graphs/host/host_memory.hpp"

namespace graphbench::host {

class HostStream;

class HostDevice final : public Device {
 public:
  // `share` is "host:N" for a part of the host, and empty for the whole host.
  explicit HostDevice(const std::string& share = "");
  ~HostDevice() override;

  const facts::DeviceFacts& info() const override { return info_; }
  static bool takes(ir::DType dtype);
  bool supports(ir::DType dtype) const override { return takes(dtype); }
  std::unique_ptr<Stream> make_stream() override;
  std::unique_ptr<Stream> default_stream() override { return make_stream(); }
  std::unique_ptr<Event> make_event() override;
  std::unique_ptr<Kernel> make_kernel(const ir::OpCall& call) override;
  std::unique_ptr<Kernel> make_callback(std::function<void()> call) override;
  void* allocate(std::size_t bytes) override { return memory_.allocate(bytes); }
  // Waits for enqueued work first, as cudaFree does.
  void deallocate(void* data) noexcept override;
  void* allocate_pinned(std::size_t bytes) override { return allocate(bytes); }
  void deallocate_pinned(void* data) noexcept override { deallocate(data); }
  MemoryInfo memory() const override { return memory_.info(); }
  std::size_t allocation_granularity() const override { return HostMemory::granularity; }
  std::size_t workspace_bytes() const override { return scratch_.total_bytes(); }
  std::size_t allocated_bytes() const override { return memory_.allocated_bytes(); }
  void fill(Stream& stream, void* destination, ir::DType dtype, std::size_t elements, const ir::Init& init,
            std::uint64_t seed) override;
  std::uint64_t digest(Stream& stream, const void* source, std::size_t bytes) override;
  void synchronize() override;
  std::unique_ptr<Kernel> make_empty_kernel() override;
  std::size_t cache_bytes() const override { return last_cache_bytes(); }
  ProfilerResult make_profiler() override;

  int cores() const noexcept { return cores_; }
  // One core is left to the submitting thread.
  int compute_threads() const noexcept { return cores_ > 1 ? cores_ - 1 : 1; }
  // A stream's thread holds this mutex while it runs a task.
  std::mutex& execution_mutex() noexcept { return execution_mutex_; }
  // What stream threads record for the profiler. Null while no profiler records. Lock execution_mutex() to
  // read or set it, and to use the records.
  std::vector<Activity>* records() const noexcept { return records_; }
  void set_records(std::vector<Activity>* records) noexcept { records_ = records; }
  const KernelCache& kernels() const noexcept { return kernels_; }

  void add_stream(HostStream& stream) { streams_.push_back(&stream); }
  void remove_stream(HostStream& stream) noexcept;

 private:
  void check_operands(const ir::OpCall& call) const;

  int cores_;
  facts::DeviceFacts info_{};
  std::mutex execution_mutex_;
  std::vector<Activity>* records_ = nullptr;
  HostMemory memory_;
  ScratchArena scratch_;
  KernelCache kernels_;
  std::vector<HostStream*> streams_;
};

std::unique_ptr<Backend> make_host_backend();

}  // namespace graphbench::host
