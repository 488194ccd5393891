// Chooses CPUs for the submitting thread: near the device and of the fastest kind. Whether a CPU is quiet is
// measured later (pinning.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/model/settings.hpp"

namespace graphbench::measure {

struct Cpu {
  int number = 0;
  int processor = 0;
  int speed = 0;  // rank of its kind of core: higher is faster; all equal if unknown
  bool near_device = false;
  int core = -1;  // equal for the hardware threads of one core; -1 if unknown
};

struct CpuTopology {
  std::vector<Cpu> cpus;
  bool device_place_known = false;
};

// Reads the topology through hwloc, including CPUs that this process may not use. Empty if hwloc fails. The
// device's place is unknown without `pci_bus_id` (DeviceFacts), or if the system does not list the device
// (in some containers) or lists it near several processors. `xml`: an exported topology to read instead.
CpuTopology read_cpu_topology(const std::string& pci_bus_id, const std::string& xml = "");

// Pure. Filters the `allowed` CPUs (ascending): near the device, of the fastest kind, on one processor.
// Returns the half with the higher numbers, at most eight CPUs, because interrupts and other programs prefer
// low numbers. A filter that no CPU passes is skipped; the result says so.
model::SubmitterCpus choose_cpus(const CpuTopology& topology, const std::vector<int>& allowed);

// Returns choose_cpus() for this machine and the device at `pci_bus_id`. Absent if pinning is off or the
// user names a CPU.
std::optional<model::SubmitterCpus> choose_submitter(const model::InstrumentOptions& options,
                                                     const std::vector<int>& allowed,
                                                     const std::string& pci_bus_id);

}  // namespace graphbench::measure
