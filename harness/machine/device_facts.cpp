// Field by field: the model knows no devices, and devices know no model.
#include "harness/machine/device_facts.hpp"

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
    choices.push_back({made.key, made.algorithm, made.timed, made.hit});
  return choices;
}

}  // namespace graphbench::machine
