// The CUDA device: one GPU, its library handles, and workspaces: the scratch memory of library calls.
//
// The kernels of one branch share a workspace, because they run one after another.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "graphs/cuda/handle.hpp"
#include "graphs/cuda/nvml.hpp"
#include "graphs/cuda/ops/op_builders.hpp"
#include "graphs/cuda/tuning/tuner.hpp"
#include "graphs/device/device.hpp"
#include "graphs/device/probe_kernels.hpp"

namespace graphbench::cuda {

struct CudaDeviceOptions {
  bool use_cudnn = true;
  LibrarySearch libraries = LibrarySearch::everywhere;
  std::optional<TuningSettings> tuning;  // absent: the settings of the environment
};

class CudaDevice final : public Device, public ProbeKernels {
 public:
  explicit CudaDevice(int index, CudaDeviceOptions options = {});

  const facts::DeviceFacts& info() const override { return info_; }
  int index() const override { return index_; }
  bool supports(ir::DType dtype) const override;
  std::unique_ptr<Stream> make_stream() override;
  std::unique_ptr<Graph> borrow_graph(void* native) override;
  // Wraps the calling thread's default stream, because the legacy default stream cannot be captured.
  std::unique_ptr<Stream> default_stream() override;
  std::unique_ptr<Event> make_event() override;
  std::unique_ptr<Kernel> make_kernel(const ir::OpCall& call) override;
  void* allocate(std::size_t bytes) override;
  void deallocate(void* data) noexcept override;
  void* allocate_pinned(std::size_t bytes) override;
  void deallocate_pinned(void* data) noexcept override;
  MemoryInfo memory() const override;
  std::size_t allocation_granularity() const override { return std::size_t{2} << 20; }
  std::size_t workspace_bytes() const override;
  std::size_t allocated_bytes() const override { return tally().total(); }
  void fill(Stream& stream, void* destination, ir::DType dtype, std::size_t elements, const ir::Init& init,
            std::uint64_t seed) override;
  std::uint64_t digest(Stream& stream, const void* source, std::size_t bytes) override;
  void synchronize() override;
  std::unique_ptr<Kernel> make_empty_kernel() override;
  std::unique_ptr<Kernel> make_probe_kernel(ProbeKernel which) override;
  bool can_fork_captures() const override { return true; }
  void load_at_first_use() override;
  std::size_t cache_bytes() const override;
  std::optional<double> clock_probe_seconds(Stream& stream) override;
  void prepare_on_branch(std::size_t branch) override;
  void use_full_edges() override { context_.programmatic = false; }
  void choose_for_size(bool of_its_own) override { context_.tuner->choose_generally(!of_its_own); }
  std::vector<facts::LibraryChoice> library_choices() const override { return context_.tuner->choices(); }
  std::optional<facts::CacheUse> cache_use() const override { return context_.tuner->cache_use(); }
  std::vector<cache::Entry> kept_choices() const override {
    return context_.tuner->kept(serialised_plans(context_));
  }
  std::size_t offer_choices(const std::vector<cache::Entry>& entries) override {
    return context_.tuner->offer(entries);
  }
  std::optional<MemoryUse> memory_use() override;  // NVML
  ProfilerResult make_profiler() override;         // CUPTI
  MonitorResult make_monitor() override;           // NVML
  void discard() override;

 private:
  unsigned long long* word_slot() const;

  int index_;
  facts::DeviceFacts info_{};
  NvmlMemory* driver_memory_ = nullptr;          // null without NVML
  MemoryHandle workspace_;                       // with the word slot at its end
  std::vector<MemoryHandle> branch_workspaces_;  // [i] is the workspace of branch i + 1
  OpContext context_;                            // refers to the members above, so it is destroyed first
};

class CudaBackend final : public Backend {
 public:
  CudaBackend();

  std::string name() const override { return "cuda"; }
  std::vector<DeviceStatus> devices() override;
  std::unique_ptr<Device> open(int index, Work work = Work::programs) override;
};

}  // namespace graphbench::cuda
