// Keeps the thread that submits on one CPU, and the process's other threads off it: a thread that the
// scheduler moves pays for cold caches in the middle of a sample.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/model/instruments.hpp"

namespace graphbench::machine {

// The CPUs that this process may run on, ascending. Throws Error(io) where the system does not say.
std::vector<int> allowed_cpus();

// Which CPU the submitting thread takes: the one asked for, else the highest allowed, because
// interrupts and other programs gather on the low ones. None where pinning is off. Pure. Throws
// Error(invalid_argument) for a CPU that is not allowed.
std::optional<int> choose_cpu(const model::InstrumentOptions& options, const std::vector<int>& allowed);

// Order: open the device, keep_others_off(), make streams (their threads inherit the rest of the CPUs),
// take(). On a machine with a single CPU threads share it.
class SubmitterPin {
 public:
  SubmitterPin(const model::InstrumentOptions& options, std::vector<int> allowed);
  // Throw Error(io) where the system refuses.
  void keep_others_off() const;
  void take() const;
  std::optional<int> cpu() const noexcept { return cpu_; }

 private:
  std::vector<int> allowed_;
  std::optional<int> cpu_;
};

}  // namespace graphbench::machine
