// Chooses CPUs for the thread that submits: near the device and of the fastest kind. Which of them is quiet
// shows only while measuring (pinning.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/model/instruments.hpp"

namespace graphbench::machine {

struct Cpu {
  int number = 0;
  int processor = 0;
  int speed = 0;  // rank of its kind of core: a higher one computes faster. All are equal where unknown
  bool near_device = false;
};

struct CpuTopology {
  std::vector<Cpu> cpus;
  bool device_place_known = false;
};

// Reads the machine's topology through hwloc, with CPUs that this process may not use; empty if hwloc finds
// nothing. The device's place is unknown if `pci_bus_id` (DeviceFacts) is empty, if the system does not list
// the device (some containers), or if it lists the device as near several processors. `xml` is a topology
// that hwloc exported, instead of this machine's.
CpuTopology read_cpu_topology(const std::string& pci_bus_id, const std::string& xml = "");

// Chooses among the allowed CPUs (ascending) those near the device, then the fastest kind, then the higher
// half, because interrupts and other programs gather on the low ones: eight at most, all of one processor. A
// wish that no CPU fulfils is passed over, and the choice says so. Pure.
model::SubmitterCpus choose_cpus(const CpuTopology& topology, const std::vector<int>& allowed);

// Chooses on this machine. Absent if pinning is off, or the user named a CPU.
std::optional<model::SubmitterCpus> choose_submitter(const model::InstrumentOptions& options,
                                                     const std::vector<int>& allowed,
                                                     const std::string& pci_bus_id);

}  // namespace graphbench::machine
