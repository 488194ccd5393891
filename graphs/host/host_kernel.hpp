// Prepared ops of the host device. A launch finds the op's implementation in the device's cache by
// signature, as framework dispatchers do, copies the operands into the stream's ring and returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "graphs/device/device.hpp"
#include "graphs/host/op_implementation.hpp"
#include "graphs/host/task_ring.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::host {

// Two ops share an implementation if and only if their texts are equal. A foreign op's text also contains the
// op's name and batch, which every launch passes to the plugin, and the address of the plugin's op.
std::string signature_text(const ir::OpCall& call);

class KernelCache {
 public:
  std::uint64_t find_or_make(const std::string& text,
                             const std::function<std::unique_ptr<OpImplementation>()>& make);
  OpImplementation& at(std::uint64_t signature) const { return *entries_.find(signature)->second.op; }
  std::size_t size() const noexcept { return entries_.size(); }
  // Returns a copy that lives as long as the cache. Used for ops with more operands than a task has words.
  void* const* keep(const std::vector<void*>& operands) { return lists_.insert(operands).first->data(); }

 private:
  struct Entry {
    std::string text;
    std::unique_ptr<OpImplementation> op;
  };
  std::unordered_map<std::uint64_t, Entry> entries_;
  std::set<std::vector<void*>> lists_;
};

class HostKernel final : public Kernel {
 public:
  HostKernel(KernelCache& cache, std::uint64_t signature, std::size_t operand_count)
      : cache_(cache), signature_(signature), operand_count_(operand_count) {}
  void launch(Stream& stream, void* const* operands) override;
  std::optional<std::size_t> in_place_input() const override;
  std::size_t settable_nodes() const override { return 1; }

  static void run(Task& task, StreamContext& context);
  static void* const* operands_of(const Task& task);

 private:
  KernelCache& cache_;
  std::uint64_t signature_;
  std::size_t operand_count_;
  void* const* latest_ = nullptr;  // the last launch's operands, or null
};

// The kernel of a marker, which does nothing: `--split-ops` can name a marker's kind as a split point.
class MarkerKernel final : public Kernel {
 public:
  void launch(Stream&, void* const*) override {}
};

}  // namespace graphbench::host
