// The choice, a filter at a time.
#include "harness/measure/machine/cpu_choice.hpp"

#include <algorithm>

namespace graphbench::machine {
namespace {

constexpr std::size_t candidates_max = 8;

// Leaves the CPUs that fulfil `wish`, or all where none does. Returns whether one did.
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
  model::SubmitterCpus choice;
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
  // On another processor the distances to memory and device differ.
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

}  // namespace graphbench::machine
