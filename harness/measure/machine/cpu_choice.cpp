// Chooses the CPUs for the submitting thread with a series of filters, and reads the topology through hwloc.
#include "harness/measure/machine/cpu_choice.hpp"

#include <hwloc.h>
#include <hwloc/helper.h>

#include <algorithm>
#include <memory>

namespace graphbench::measure {
namespace {

constexpr std::size_t candidates_max = 8;

template <typename Wish>
bool prefer(std::vector<Cpu>& cpus, Wish&& wish) {
  if (std::ranges::none_of(cpus, wish)) return false;
  std::erase_if(cpus, [&](const Cpu& cpu) { return !wish(cpu); });
  return true;
}

std::vector<Cpu> described(const CpuTopology& topology, const std::vector<int>& numbers) {
  std::vector<Cpu> cpus;
  for (const int number : numbers) {
    const auto found = std::ranges::find(topology.cpus, number, &Cpu::number);
    cpus.push_back(found == topology.cpus.end() ? Cpu{.number = number} : *found);
  }
  return cpus;
}

}  // namespace

model::SubmitterCpus choose_cpus(const CpuTopology& topology, const std::vector<int>& allowed) {
  model::SubmitterCpus choice{};
  std::vector<Cpu> left = described(topology, allowed);
  if (left.empty()) return choice;
  const bool near = prefer(left, [](const Cpu& cpu) { return cpu.near_device; });
  choice.locality = !topology.device_place_known ? "unknown" : near ? "near" : "far";
  const int speed = std::ranges::max(left, {}, &Cpu::speed).speed;
  std::erase_if(left, [&](const Cpu& cpu) { return cpu.speed < speed; });
  const auto differs = [&](const Cpu& cpu) { return cpu.speed != speed; };
  const auto faster = [&](const Cpu& cpu) { return cpu.speed > speed; };
  choice.cores = std::ranges::none_of(topology.cpus, differs) ? "alike"
                 : std::ranges::any_of(topology.cpus, faster) ? "efficiency"
                                                              : "performance";
  // Keeps one processor's CPUs, because distances to memory and device differ between processors.
  const int processor = left.back().processor;
  std::erase_if(left, [&](const Cpu& cpu) { return cpu.processor != processor; });
  const std::size_t count = std::clamp<std::size_t>(left.size() / 2, 1, candidates_max);
  for (const Cpu& cpu : std::vector<Cpu>(left.end() - static_cast<std::ptrdiff_t>(count), left.end()))
    choice.cpus.push_back(cpu.number);
  return choice;
}

std::optional<model::SubmitterCpus> choose_submitter(const model::InstrumentOptions& options,
                                                     const std::vector<int>& allowed,
                                                     const std::string& pci_bus_id) {
  if (!options.pin || options.cpu) return std::nullopt;
  model::SubmitterCpus choice = choose_cpus(read_cpu_topology(pci_bus_id), allowed);
  if (pci_bus_id.empty()) choice.locality.clear();
  return choice;
}

namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, Destroy>;

Topology load_topology(bool with_devices, const std::string& xml) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  // Includes CPUs that this process may not use, because the device may be near one of them.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  // Loads only PCI devices, because hwloc would open the GPU to find devices of other kinds.
  if (with_devices) hwloc_topology_set_type_filter(raw, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (!xml.empty() && hwloc_topology_set_xml(raw, xml.c_str()) != 0) return nullptr;
  return hwloc_topology_load(raw) == 0 ? std::move(topology) : nullptr;
}

// The rank that hwloc gives to the core's kind, by speed; 0 if unknown (hwloc returns -1).
int speed_of(hwloc_topology_t topology, hwloc_obj_t unit) {
  const int kind = hwloc_cpukinds_get_by_cpuset(topology, unit->cpuset, 0);
  int rank = -1;
  if (kind < 0 || hwloc_cpukinds_get_info(topology, static_cast<unsigned>(kind), nullptr, &rank, nullptr,
                                          nullptr, 0) != 0) {
    return 0;
  }
  return rank < 0 ? 0 : rank;
}

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
  const Topology topology = load_topology(!pci_bus_id.empty(), xml);
  if (topology == nullptr) return result;
  const hwloc_const_cpuset_t near = cpus_near(topology.get(), pci_bus_id);
  result.device_place_known = near != nullptr;
  for (hwloc_obj_t unit = nullptr;
       (unit = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_PU, unit)) != nullptr;) {
    const hwloc_obj_t processor = hwloc_get_ancestor_obj_by_type(topology.get(), HWLOC_OBJ_PACKAGE, unit);
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology.get(), HWLOC_OBJ_CORE, unit);
    result.cpus.push_back({.number = static_cast<int>(unit->os_index),
                           .processor = processor != nullptr ? static_cast<int>(processor->logical_index) : 0,
                           .speed = speed_of(topology.get(), unit),
                           .near_device = near != nullptr && hwloc_bitmap_isset(near, unit->os_index) != 0,
                           .core = core != nullptr ? static_cast<int>(core->logical_index) : -1});
  }
  return result;
}

}  // namespace graphbench::measure
