// Makes a placement with all threads on their CPUs, and destroys it.
#include "harness/measure/worker/placement.hpp"

#include <algorithm>
#include <cstdio>

#include "graphs/ir/random_fill.hpp"
#include "harness/model/axes.hpp"

namespace graphbench::measure {

Placement::Placement(const model::WorkerTask& task, const OpenDevice& open, const MakeRig& make_rig,
                     SubmitterPin& pin) {
  // Threads of the driver and of streams inherit the CPUs of the thread that starts them.
  pin.keep_others_off();
  device_ = open();
  if (model::at_first_use(task)) device_->load_at_first_use();
  if (model::later_axis(task, "edges") == "full") device_->use_full_edges();
  rig_ = make_rig(*device_);
  pin.take();
  monitor_ = device_->make_monitor();
  // A CPU's last-level cache is not emptied between visits, because other programs share and refill it.
  const bool own_cache = device_->info().kind != "host" && device_->cache_bytes() > 0;
  if (task.settings.instruments.cold_l2 || own_cache) {
    cache_ = std::make_unique<CacheFlush>(*device_, rig_->stream());
  }
}

void Placement::move(std::uint64_t seed) {
  constexpr std::size_t block_bytes = std::size_t{2} << 20;  // the page size of GPU memory
  constexpr std::size_t blocks_max = 96;
  unused_.clear();
  // Takes at most half of the free memory, so that the rig's new memory fits too.
  const std::size_t room = device_->memory().free_bytes / 2 / block_bytes;
  rig_->release();
  if (device_->info().kind == "host") return;  // the system maps new memory to other pages
  const std::size_t blocks = ir::mix64(seed) % (std::min(room, blocks_max) + 1);
  for (std::size_t i = 0; i < blocks; ++i) unused_.emplace_back(*device_, block_bytes, MemoryKind::harness);
}

Placement::~Placement() {
  unused_.clear();
  cache_.reset();
  monitor_.monitor.reset();
  const bool discarded = rig_->owns_device();
  rig_.reset();
  if (!discarded) return;
  try {
    device_->discard();
  } catch (const Error& error) {
    std::fprintf(stderr, "graphbench worker: %s\n", error.what());
  }
}

}  // namespace graphbench::measure
