// Plans: made with a pool, checked by walking the ops once more.
#include "graphs/execution/address_plan.hpp"

#include <algorithm>
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

// Pools take memory in pieces of at most so much more than a value needs.
constexpr std::int64_t slack_bytes = std::int64_t{2} << 20;

// Bytes of a segment that a live value has.
struct Live {
  std::int64_t segment = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// The places of a plan, by value, as far as each is sound by itself.
struct Places {
  std::vector<std::optional<Live>> of;
  std::string wrong;  // empty: all are
};

Places places_of(const ir::AddressPlan& plan, const StepKernels& kernels) {
  Places places{std::vector<std::optional<Live>>(kernels.value_bytes.size()), {}};
  const auto refuse = [&](const std::string& why) {
    places.wrong = why;
    return places;
  };
  for (const ir::AddressPlan::Place& place : plan.places) {
    const std::string name = "value " + std::to_string(place.value);
    if (place.value < 0 || place.value >= static_cast<std::int64_t>(places.of.size()) ||
        places.of[static_cast<std::size_t>(place.value)])
      return refuse(name + " is not of this step, or has two places");
    const auto value = static_cast<std::size_t>(place.value);
    const auto bytes = static_cast<std::int64_t>(kernels.value_bytes[value]);
    if (place.segment < 0 || place.segment >= static_cast<std::int64_t>(plan.segments.size()))
      return refuse(name + " is in a segment that there is not");
    const std::int64_t size = plan.segments[static_cast<std::size_t>(place.segment)];
    if (place.offset < 0 || place.offset % static_cast<std::int64_t>(pool::block_alignment) != 0 ||
        place.offset > size || bytes > size - place.offset)
      return refuse(name + " is not aligned, or not within its segment");
    places.of[value] = {place.segment, place.offset, place.offset + bytes};
  }
  return places;
}

std::string why_segments_are_wrong(const ir::AddressPlan& plan, const StepKernels& kernels) {
  std::int64_t most = 0;
  for (const StepOp& op : kernels.ops) {
    for (const ir::ValueId value : op.allocates)
      most += static_cast<std::int64_t>(kernels.value_bytes[value]) + slack_bytes;
  }
  for (const std::int64_t bytes : plan.segments) {
    if (bytes <= 0 || bytes > most) return "its segments are larger than all values together";
    most -= bytes;
  }
  return {};
}

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

ir::AddressPlan make_plan(const StepKernels& kernels, DeviceMemory& memory) {
  pool::MemoryPool pool(memory);
  std::vector<void*> addresses(kernels.value_bytes.size());
  lay_out(kernels, pool, addresses, [](std::size_t) {});
  ir::AddressPlan plan;
  const std::vector<pool::MemoryRange> segments = pool.segments();
  for (const pool::MemoryRange& segment : segments)
    plan.segments.push_back(static_cast<std::int64_t>(segment.bytes));
  for (const StepOp& op : kernels.ops) {
    for (const ir::ValueId value : op.allocates) {
      const auto* const at = static_cast<const std::byte*>(addresses[value]);
      const auto within = std::ranges::find_if(segments, [&](const pool::MemoryRange& segment) {
        return !std::less<>{}(at, segment.data) && std::less<>{}(at, segment.data + segment.bytes);
      });
      plan.places.push_back({static_cast<std::int64_t>(value), within - segments.begin(), at - within->data});
    }
  }
  return plan;
}

std::string why_not(const ir::AddressPlan& plan, const StepKernels& kernels) {
  if (std::string wrong = why_segments_are_wrong(plan, kernels); !wrong.empty()) return wrong;
  Places places = places_of(plan, kernels);
  if (!places.wrong.empty()) return places.wrong;
  std::size_t placed = 0;
  std::vector<ir::ValueId> live;
  for (const StepOp& op : kernels.ops) {
    for (const ir::ValueId value : op.allocates) {
      const std::optional<Live>& mine = places.of[value];
      if (!mine) return "value " + std::to_string(value) + " has no place";
      ++placed;
      for (const ir::ValueId other : live) {
        const std::optional<Live>& theirs = places.of[other];
        if (theirs->segment == mine->segment && theirs->begin < mine->end && mine->begin < theirs->end)
          return "values " + std::to_string(other) + " and " + std::to_string(value) + " overlap";
      }
      live.push_back(value);
    }
    if (op.takes_over) {
      places.of[op.takes_over->to] = places.of[op.takes_over->from];
      std::ranges::replace(live, op.takes_over->from, op.takes_over->to);
    }
    for (const ir::ValueId value : op.releases) std::erase(live, value);
  }
  return placed == plan.places.size() ? "" : "it places values that are not allocated";
}

void take_plan(const ir::AddressPlan& plan, const StepKernels& kernels, pool::MemoryPool& pool,
               std::vector<void*>& addresses) {
  HeldBlocks held(pool, plan.segments.size());
  std::vector<std::byte*> segments;
  for (std::size_t i = 0; i < plan.segments.size(); ++i)
    segments.push_back(held.allocate(i, static_cast<std::size_t>(plan.segments[i])));
  for (const ir::AddressPlan::Place& place : plan.places)
    addresses[static_cast<std::size_t>(place.value)] =
        segments[static_cast<std::size_t>(place.segment)] + place.offset;
  for (const StepOp& op : kernels.ops) {
    if (op.takes_over) addresses[op.takes_over->to] = addresses[op.takes_over->from];
  }
}

}  // namespace graphbench::execution
