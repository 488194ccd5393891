// Field by field: the model knows no devices, and devices know no model.
#include "harness/measure/machine/device_facts.hpp"

#include <algorithm>

namespace graphbench::machine {

model::DeviceFacts facts_of(const DeviceInfo& info) {
  return {.kind = info.kind,
          .name = info.name,
          .uuid = info.uuid,
          .compute_capability = info.compute_capability,
          .memory_bytes = static_cast<std::int64_t>(info.memory_bytes),
          .driver = info.driver,
          .runtime = info.runtime,
          .libraries = info.libraries,
          .pci_bus_id = info.pci_bus_id};
}

std::vector<model::LibraryChoice> choices_of(const DeviceInstruments& device) {
  std::vector<model::LibraryChoice> choices;
  for (const LibraryChoice& made : device.library_choices())
    choices.push_back({made.key, made.algorithm, made.timed, made.hit, made.plan});
  return choices;
}

std::optional<model::CacheUse> cache_use_since(const std::optional<cache::Use>& before,
                                               const DeviceInstruments& device) {
  const std::optional<cache::Use> now = device.cache_use();
  if (!now) return std::nullopt;
  const cache::Use then = before.value_or(cache::Use());
  return model::CacheUse{.hits = now->hits - then.hits,
                         .misses = now->misses - then.misses,
                         .refused = now->refused - then.refused,
                         .bytes = now->bytes - then.bytes,
                         .seconds_saved = std::max(0.0, now->seconds_saved - then.seconds_saved)};
}

}  // namespace graphbench::machine
