// Moves threads to other CPUs through sched_setaffinity.
#include "harness/measure/machine/housekeeping_threads.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/measure/machine/pinning.hpp"

namespace graphbench::machine {
namespace {

// The hardware threads of the CPUs' cores; empty if the system does not list them, as in some containers.
std::vector<int> siblings_of(const std::vector<int>& cpus) {
  std::vector<int> siblings;
  for (const int cpu : cpus) {
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                       "/topology/thread_siblings_list");
    std::string line;
    if (!std::getline(file, line)) continue;
    const std::vector<int> threads = parse_cpu_list(line);
    siblings.insert(siblings.end(), threads.begin(), threads.end());
  }
  return siblings;
}

std::vector<int> without(std::vector<int> cpus, const std::vector<int>& others) {
  std::erase_if(cpus, [&](int cpu) { return contains(others, cpu); });
  return cpus;
}

bool parse_number(std::string_view text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0 && number < CPU_SETSIZE;
}

}  // namespace

std::vector<int> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view range = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t dash = range.find('-');
    int first = 0;
    int last = 0;
    if (!parse_number(range.substr(0, dash), first)) continue;
    last = first;
    if (dash != std::string_view::npos && !parse_number(range.substr(dash + 1), last)) continue;
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::vector<int> housekeeping_cpus(const std::vector<int>& allowed, const std::vector<int>& taken,
                                   const std::vector<int>& siblings) {
  const std::vector<int> beside = without(allowed, taken);
  if (beside.empty()) return allowed;
  const std::vector<int> apart = without(beside, siblings);
  return apart.empty() ? beside : apart;
}

HousekeepingThreads::HousekeepingThreads() : allowed_(allowed_cpus()) {
  if (allowed_.empty()) throw Error(ErrorCode::io, "read this process's CPUs: the process may use no CPU");
  const std::vector<int> taken = submitter_cpus({}, allowed_);
  cpus_ = housekeeping_cpus(allowed_, taken, siblings_of(taken));
}

void HousekeepingThreads::add_this_thread() {
  const std::scoped_lock lock(mutex_);
  threads_.push_back(gettid());
  set_affinity(threads_.back(), cpus_);
}

void HousekeepingThreads::keep_off(const std::vector<std::int64_t>& submitter) {
  const std::vector<int> taken(submitter.begin(), submitter.end());
  std::vector<int> beside = housekeeping_cpus(allowed_, taken, siblings_of(taken));
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

}  // namespace graphbench::machine
