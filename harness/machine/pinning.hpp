// Keeps the thread that submits on one CPU, and the process's other threads off it: a thread that the
// scheduler moves pays for cold caches in the middle of a sample. Between samples it may be moved on purpose:
// away from a core that computes for somebody else as well.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "harness/machine/contention.hpp"
#include "harness/model/instruments.hpp"

namespace graphbench::machine {

// The CPUs that this process may run on, ascending. Throws Error(io) where the system does not say.
std::vector<int> allowed_cpus();

// Those that the submitting thread may take, ascending: the one asked for, or the higher half of the allowed,
// because interrupts and other programs gather on the low ones, eight at most and all of one processor. None
// where pinning is off. Throws Error(invalid_argument) for a CPU that is not allowed.
std::vector<int> submitter_cpus(const model::InstrumentOptions& options, const std::vector<int>& allowed);

// Order: keep_others_off(), make streams, and better open the device only here too (threads that they start
// inherit the CPUs that are not the submitter's), take(). On a machine with a single CPU threads share it.
class SubmitterPin {
 public:
  using Probe = std::function<double()>;  // seconds of a fixed computation on the calling thread's CPU

  // What a CPU takes more than this over the quietest seen counts as disturbed.
  static constexpr double disturbed = model::LaunchMachine::shared_core_slowdown;

  // `roams`: may move among all of submitter_cpus(), for a device whose own threads need few CPUs; else it
  // takes the highest.
  SubmitterPin(const model::InstrumentOptions& options, std::vector<int> allowed, bool roams,
               Probe probe = arithmetic_seconds);

  // Throw Error(io) where the system refuses.
  void keep_others_off() const;
  // The highest CPU that is not disturbed; where all are, the least disturbed. One that was taken from the
  // process meanwhile is passed over, while there is another.
  void take();
  // Stays where it is quiet, else as take(). To be called between samples, after take(). How disturbed the
  // CPU is that it stays on: its time over that of the quietest seen, 1 or more. Nothing where it pins
  // nothing.
  std::optional<double> hold();

  std::optional<int> cpu() const noexcept { return cpu_; }

 private:
  std::optional<double> probe_on(int cpu);  // nothing where the process may not run there

  std::vector<int> allowed_;
  std::vector<int> candidates_;
  Probe probe_;
  double quietest_seconds_;
  std::optional<int> cpu_;
};

}  // namespace graphbench::machine
