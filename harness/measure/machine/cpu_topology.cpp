// The machine's topology through hwloc.
#include <hwloc.h>
#include <hwloc/helper.h>

#include <memory>

#include "harness/measure/machine/cpu_choice.hpp"

namespace graphbench::machine {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, Destroy>;

// Null where hwloc cannot read it.
Topology load(bool with_devices, const std::string& xml) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  // Without the other CPUs one could not say that the device is near one that is not allowed.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  // Devices of the system's other kinds stay out: hwloc would open the GPU for them.
  if (with_devices) hwloc_topology_set_type_filter(raw, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (!xml.empty() && hwloc_topology_set_xml(raw, xml.c_str()) != 0) return nullptr;
  return hwloc_topology_load(raw) == 0 ? std::move(topology) : nullptr;
}

// hwloc ranks kinds of cores by their speed; -1 is not known.
int speed_of(hwloc_topology_t topology, hwloc_obj_t unit) {
  const int kind = hwloc_cpukinds_get_by_cpuset(topology, unit->cpuset, 0);
  int rank = -1;
  if (kind < 0 || hwloc_cpukinds_get_info(topology, static_cast<unsigned>(kind), nullptr, &rank, nullptr,
                                          nullptr, 0) != 0) {
    return 0;
  }
  return rank < 0 ? 0 : rank;
}

// Null where it is not known.
hwloc_const_cpuset_t cpus_near(hwloc_topology_t topology, const std::string& pci_bus_id) {
  if (pci_bus_id.empty()) return nullptr;
  hwloc_obj_t device = hwloc_get_pcidev_by_busidstring(topology, pci_bus_id.c_str());
  const hwloc_obj_t place = device != nullptr ? hwloc_get_non_io_ancestor_obj(topology, device) : nullptr;
  if (place == nullptr || hwloc_bitmap_iszero(place->cpuset) != 0) return nullptr;
  const bool everywhere = hwloc_bitmap_isequal(place->cpuset, hwloc_get_root_obj(topology)->cpuset) != 0;
  const bool one_processor = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE) <= 1;
  return everywhere && !one_processor ? nullptr : place->cpuset;
}

}  // namespace

CpuTopology read_cpu_topology(const std::string& pci_bus_id, const std::string& xml) {
  CpuTopology result;
  const Topology topology = load(!pci_bus_id.empty(), xml);
  if (topology == nullptr) return result;
  const hwloc_const_cpuset_t near = cpus_near(topology.get(), pci_bus_id);
  result.device_place_known = near != nullptr;
  for (hwloc_obj_t unit = nullptr;
       (unit = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_PU, unit)) != nullptr;) {
    const hwloc_obj_t processor = hwloc_get_ancestor_obj_by_type(topology.get(), HWLOC_OBJ_PACKAGE, unit);
    result.cpus.push_back({.number = static_cast<int>(unit->os_index),
                           .processor = processor != nullptr ? static_cast<int>(processor->logical_index) : 0,
                           .speed = speed_of(topology.get(), unit),
                           .near_device = near != nullptr && hwloc_bitmap_isset(near, unit->os_index) != 0});
  }
  return result;
}

}  // namespace graphbench::machine
