// CPU affinity of threads, through the scheduler's calls.
#include "harness/machine/pinning.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "graphs/ir/error.hpp"

namespace graphbench::machine {
namespace {

void run_on(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) {
    throw Error(ErrorCode::io, "pin the submitting thread to CPU " + std::to_string(cpus.front()) + ": " +
                                   std::strerror(errno) + "; --no-pin leaves it where the system puts it");
  }
}

}  // namespace

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    throw Error(ErrorCode::io, std::string("read this process's CPUs: ") + std::strerror(errno));
  }
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

std::optional<int> choose_cpu(const model::InstrumentOptions& options, const std::vector<int>& allowed) {
  if (!options.pin || allowed.empty()) return std::nullopt;
  if (!options.cpu) return allowed.back();
  const auto found = std::ranges::find(allowed, *options.cpu);
  if (found != allowed.end()) return *found;
  std::string offered;
  for (const int cpu : allowed) offered += (offered.empty() ? "" : ", ") + std::to_string(cpu);
  throw Error(ErrorCode::invalid_argument, "\"" + std::to_string(*options.cpu) +
                                               "\" is no CPU that this process may run on: give one of " +
                                               offered);
}

SubmitterPin::SubmitterPin(const model::InstrumentOptions& options, std::vector<int> allowed)
    : allowed_(std::move(allowed)), cpu_(choose_cpu(options, allowed_)) {}

void SubmitterPin::keep_others_off() const {
  if (!cpu_ || allowed_.size() < 2) return;
  std::vector<int> others = allowed_;
  std::erase(others, *cpu_);
  run_on(others);
}

void SubmitterPin::take() const {
  if (cpu_) run_on({*cpu_});
}

}  // namespace graphbench::machine
