// Moves threads to other CPUs through sched_setaffinity.
#include "harness/measure/machine/housekeeping_threads.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/measure/machine/pinning.hpp"

namespace graphbench::measure {
namespace {

// The hardware threads of the taken CPUs' cores; empty if hwloc does not know the cores.
std::vector<int> siblings_of(const std::vector<int>& taken, const std::vector<Cpu>& cpus) {
  std::vector<int> siblings;
  for (const Cpu& cpu : cpus) {
    const auto shares_core = [&](const Cpu& other) {
      return other.core == cpu.core && contains(taken, other.number);
    };
    if (cpu.core >= 0 && std::ranges::any_of(cpus, shares_core)) siblings.push_back(cpu.number);
  }
  return siblings;
}

std::vector<int> without(std::vector<int> cpus, const std::vector<int>& others) {
  std::erase_if(cpus, [&](int cpu) { return contains(others, cpu); });
  return cpus;
}

}  // namespace

std::vector<int> housekeeping_cpus(const std::vector<int>& allowed, const std::vector<int>& taken,
                                   const std::vector<Cpu>& cpus) {
  const std::vector<int> beside = without(allowed, taken);
  if (beside.empty()) return allowed;
  const std::vector<int> apart = without(beside, siblings_of(taken, cpus));
  return apart.empty() ? beside : apart;
}

HousekeepingThreads::HousekeepingThreads() : allowed_(allowed_cpus()) {
  if (allowed_.empty()) throw Error(ErrorCode::io, "read this process's CPUs: the process may use no CPU");
  const std::vector<int> taken = submitter_cpus({}, allowed_);
  cpus_ = housekeeping_cpus(allowed_, taken, cpus_of_machine_);
}

void HousekeepingThreads::add_this_thread() {
  const std::scoped_lock lock(mutex_);
  threads_.push_back(gettid());
  set_affinity(threads_.back(), cpus_);
}

void HousekeepingThreads::keep_off(const std::vector<std::int64_t>& submitter) {
  const std::vector<int> taken(submitter.begin(), submitter.end());
  std::vector<int> beside = housekeeping_cpus(allowed_, taken, cpus_of_machine_);
  const std::scoped_lock lock(mutex_);
  cpus_ = std::move(beside);
  for (const pid_t thread : threads_) set_affinity(thread, cpus_);
}

void HousekeepingThreads::use_every_cpu() const {
  set_affinity(gettid(), allowed_);
}

void HousekeepingThreads::set_affinity(pid_t thread, const std::vector<int>& cpus) const {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (sched_setaffinity(thread, sizeof set, &set) == 0 || errno == ESRCH) return;  // the thread has ended
  complain("warning: a thread of this process may disturb measurements, because its CPUs cannot be set: %s",
           std::strerror(errno));
}

}  // namespace graphbench::measure
