// Blocks of the pool are held as a step would hold them.
#include "graphs/execution/lay_out.hpp"

#include <utility>

namespace graphbench::execution {
namespace {

// Gives back whatever is still held, also where planning throws half way.
class HeldBlocks {
 public:
  HeldBlocks(pool::MemoryPool& pool, std::size_t count) : pool_(pool), blocks_(count) {}
  ~HeldBlocks() {
    for (std::size_t i = 0; i < blocks_.size(); ++i) release(i);
  }
  HeldBlocks(const HeldBlocks&) = delete;
  HeldBlocks& operator=(const HeldBlocks&) = delete;

  std::byte* allocate(std::size_t i, std::size_t bytes) {
    blocks_[i] = pool_.allocate(bytes);
    return blocks_[i]->data;
  }
  void hand_over(const TakeOver& values) {
    blocks_[values.to] = std::exchange(blocks_[values.from], nullptr);
  }
  void release(std::size_t i) noexcept {
    if (blocks_[i] != nullptr) pool_.release(blocks_[i]);
    blocks_[i] = nullptr;
  }

 private:
  pool::MemoryPool& pool_;
  std::vector<pool::Block*> blocks_;
};

}  // namespace

void lay_out(const StepKernels& kernels, pool::MemoryPool& pool, std::vector<void*>& addresses,
             const std::function<void(std::size_t op)>& after) {
  HeldBlocks held(pool, addresses.size());
  for (std::size_t i = 0; i < kernels.ops.size(); ++i) {
    const StepOp& op = kernels.ops[i];
    for (const ir::ValueId value : op.allocates)
      addresses[value] = held.allocate(value, kernels.value_bytes[value]);
    if (op.takes_over) {
      held.hand_over(*op.takes_over);
      addresses[op.takes_over->to] = addresses[op.takes_over->from];
    }
    for (const ir::ValueId value : op.releases) held.release(value);
    after(i);
  }
}

}  // namespace graphbench::execution
