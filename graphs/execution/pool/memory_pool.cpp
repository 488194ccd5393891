// Finds best-fit blocks in segments. There are few free blocks (tens), so a sorted vector of pointers is
// faster than a tree: a look-up is a binary search, and the vector does not allocate once it has grown.
#include "graphs/execution/pool/memory_pool.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "graphs/base/error.hpp"

namespace graphbench::execution {
namespace {

constexpr std::size_t free_list_reserve = 4096;

std::size_t round_up(std::size_t bytes, std::size_t multiple) {
  const std::size_t wanted = std::max<std::size_t>(bytes, 1);
  std::size_t padded = 0;
  if (__builtin_add_overflow(wanted, multiple - 1, &padded)) {
    throw Error(ErrorCode::out_of_memory,
                "allocate " + std::to_string(bytes) + " bytes in the pool: more than an address can count");
  }
  return padded / multiple * multiple;
}

bool smaller(const Block* a, const Block* b) {
  if (a->bytes != b->bytes) return a->bytes < b->bytes;
  return std::less<>{}(a->data, b->data);
}

}  // namespace

MemoryPool::MemoryPool(DeviceMemory& memory) : memory_(memory) {
  free_.reserve(free_list_reserve);
  spare_nodes_.reserve(free_list_reserve);
}

MemoryPool::~MemoryPool() = default;

Block* MemoryPool::take_node() {
  if (spare_nodes_.empty()) return &nodes_.emplace_back();
  Block* node = spare_nodes_.back();
  spare_nodes_.pop_back();
  *node = Block{};
  return node;
}

void MemoryPool::insert_free(Block* block) {
  free_.insert(std::ranges::lower_bound(free_, block, smaller), block);
}

void MemoryPool::erase_free(Block* block) noexcept {
  const auto found = std::ranges::lower_bound(free_, block, smaller);
  GRAPHBENCH_ASSERT(found != free_.end() && *found == block);
  free_.erase(found);
}

Block* MemoryPool::reserve_segment(std::size_t bytes) {
  Buffer buffer(memory_, round_up(bytes, memory_.allocation_granularity()));
  Block* block = take_node();
  block->data = static_cast<std::byte*>(buffer.data());
  block->bytes = buffer.bytes();
  statistics_.reserved_bytes += buffer.bytes();
  ++statistics_.segments;
  buffers_.push_back(std::move(buffer));
  heads_.push_back(block);
  return block;
}

// Always cuts off the bytes that are not needed: if a block kept them, smaller batches could make the pool
// reserve more than the largest batch needs.
Block* MemoryPool::split(Block* block, std::size_t bytes) {
  if (block->bytes == bytes) return block;
  Block* rest = take_node();
  rest->data = block->data + bytes;
  rest->bytes = block->bytes - bytes;
  rest->previous = block;
  rest->next = block->next;
  if (rest->next != nullptr) rest->next->previous = rest;
  block->next = rest;
  block->bytes = bytes;
  insert_free(rest);
  return block;
}

// Neither block may be in the free list.
void MemoryPool::merge_with_next(Block* block) noexcept {
  Block* next = block->next;
  block->bytes += next->bytes;
  block->next = next->next;
  if (block->next != nullptr) block->next->previous = block;
  spare_nodes_.push_back(next);
}

Block* MemoryPool::allocate(std::size_t bytes) {
  const std::size_t wanted = round_up(bytes, block_alignment);
  const auto fit =
      std::ranges::lower_bound(free_, wanted, std::less<>{}, [](const Block* block) { return block->bytes; });
  Block* block = nullptr;
  if (fit != free_.end()) {
    block = *fit;
    free_.erase(fit);
  } else {
    block = reserve_segment(wanted);
  }
  block = split(block, wanted);
  block->in_use = true;
  statistics_.in_use_bytes += block->bytes;
  statistics_.in_use_bytes_max = std::max(statistics_.in_use_bytes_max, statistics_.in_use_bytes);
  return block;
}

void MemoryPool::release(Block* block) noexcept {
  GRAPHBENCH_ASSERT(block != nullptr && block->in_use);
  block->in_use = false;
  statistics_.in_use_bytes -= block->bytes;
  if (block->next != nullptr && !block->next->in_use) {
    erase_free(block->next);
    merge_with_next(block);
  }
  if (block->previous != nullptr && !block->previous->in_use) {
    block = block->previous;
    erase_free(block);
    merge_with_next(block);
  }
  insert_free(block);
}

void MemoryPool::trim() noexcept {
  for (std::size_t i = buffers_.size(); i-- > 0;) {
    Block* head = heads_[i];
    if (head->in_use || head->next != nullptr) continue;
    erase_free(head);
    spare_nodes_.push_back(head);
    statistics_.reserved_bytes -= buffers_[i].bytes();
    --statistics_.segments;
    buffers_.erase(buffers_.begin() + static_cast<std::ptrdiff_t>(i));
    heads_.erase(heads_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

std::vector<MemoryRange> MemoryPool::free_ranges() const {
  std::vector<MemoryRange> ranges;
  ranges.reserve(free_.size());
  for (const Block* block : free_) ranges.push_back({block->data, block->bytes});
  return ranges;
}

}  // namespace graphbench::execution
