// A prepared op of the host device. Launching finds its implementation in the device's cache by
// signature, as framework dispatchers do, copies the operands into the stream's ring and returns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graphs/device/device.hpp"
#include "graphs/host/kernel_cache.hpp"
#include "graphs/host/task_ring.hpp"

namespace graphbench::host {

class HostKernel final : public Kernel {
 public:
  HostKernel(KernelCache& cache, std::uint64_t signature, std::size_t operand_count, KernelPath path = {})
      : cache_(cache), signature_(signature), operand_count_(operand_count), path_(std::move(path)) {}
  void launch(Stream& stream, void* const* operands) override;
  std::optional<std::size_t> in_place_input() const override;
  std::size_t settable_nodes() const override { return 1; }
  KernelPath path() const override { return path_; }

  // What a launch enqueues: binds the operands and runs the op.
  static void run(Task& task, StreamContext& context);
  // The operands of a task that runs an op.
  static void* const* operands_of(const Task& task);

 private:
  KernelCache& cache_;
  std::uint64_t signature_;
  std::size_t operand_count_;
  KernelPath path_;
  void* const* latest_ = nullptr;  // of operands that are listed: the last launch's
};

// A marker does nothing; it exists to be named as a splitting point.
class MarkerKernel final : public Kernel {
 public:
  void launch(Stream&, void* const*) override {}
};

}  // namespace graphbench::host
