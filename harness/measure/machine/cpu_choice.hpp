// Which CPUs suit the thread that submits: near the device, of the fastest kind. Which of them is quiet shows
// only while measuring (pinning.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/model/instruments.hpp"

namespace graphbench::machine {

struct Cpu {
  int number = 0;
  int processor = 0;
  int speed = 0;  // rank of its kind of core: a higher one computes faster. All the same where not known
  bool near_device = false;
};

struct CpuTopology {
  std::vector<Cpu> cpus;
  bool device_place_known = false;
};

// The machine's, also of CPUs that this process may not use, as hwloc finds it; empty where it finds nothing.
// `pci_bus_id` as DeviceFacts has it: its place is not known where that is empty, where the system does not
// list the device (some containers), and where it lists it as near every one of several processors.
// `xml`: a topology that hwloc exported, instead of this machine.
CpuTopology read_cpu_topology(const std::string& pci_bus_id, const std::string& xml = "");

// Of the allowed CPUs (ascending) those near the device, of these the fastest kind, of these the higher half,
// because interrupts and other programs gather on the low ones; eight at most, all of one processor. A wish
// that no CPU fulfils is passed over, and the choice says so. Pure.
model::SubmitterCpus choose_cpus(const CpuTopology& topology, const std::vector<int>& allowed);

// The choice on this machine. Absent where there is none: pinning is off, or the user named a CPU.
std::optional<model::SubmitterCpus> choose_submitter(const model::InstrumentOptions& options,
                                                     const std::vector<int>& allowed,
                                                     const std::string& pci_bus_id);

}  // namespace graphbench::machine
