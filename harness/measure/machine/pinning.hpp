// Keeps the thread that submits on one CPU, and the process's other threads off it, because a thread that the
// scheduler moves finds cold caches in the middle of a sample. Between samples the thread may leave a core
// that other work shares: a program on its other hardware thread or, in a virtual machine, another guest.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "harness/model/instruments.hpp"

namespace graphbench::machine {

// The CPUs that this process may run on, ascending. Throws Error(io) if the system does not say.
std::vector<int> allowed_cpus();

// The CPUs that the submitting thread may use, ascending: the one that the user names, those chosen before,
// or a choice that knows no device (cpu_choice.hpp). Empty if pinning is off. Throws
// Error(invalid_argument) for a named CPU that is not allowed.
std::vector<int> submitter_cpus(const model::InstrumentOptions& options, const std::vector<int>& allowed);

// Seconds of a fixed piece of arithmetic, some tens of microseconds: the median of five. The arithmetic has
// several independent chains, so that a core's operations per cycle, which its threads share, bound it.
double arithmetic_seconds();

// Order of calls: keep_others_off(); open the device and make streams, whose threads inherit the CPUs that
// are not the submitter's; take(). On a machine with a single CPU all threads share it.
class SubmitterPin {
 public:
  using Probe = std::function<double()>;  // seconds of a fixed computation on the calling thread's CPU

  // A CPU counts as disturbed where its probe takes longer than this over the quickest probe seen.
  static constexpr double disturbed = model::LaunchMachine::shared_core_slowdown;

  // `roams`: the thread may move among all of submitter_cpus(), which suits a device whose threads need few
  // CPUs; otherwise it uses the highest.
  SubmitterPin(const model::InstrumentOptions& options, std::vector<int> allowed, bool roams,
               Probe probe = arithmetic_seconds);

  // Throw Error(io) where the system refuses.
  void keep_others_off() const;
  // Moves to the highest CPU that is not disturbed; where all are, to the least disturbed. Skips a CPU that
  // the process may no longer use while another is left.
  void take();
  // Stays on its CPU if that is quiet, else chooses as take() does. It is called between samples, after
  // take(). Returns how disturbed the CPU is: its probe's time over the quickest seen, 1 or more. Absent
  // if pinning is off.
  std::optional<double> hold();

  std::optional<int> cpu() const noexcept { return cpu_; }

 private:
  std::optional<double> probe_on(int cpu);  // absent if the process may not run there

  std::vector<int> allowed_;
  std::vector<int> candidates_;
  Probe probe_;
  double quietest_seconds_;
  std::optional<int> cpu_;
};

}  // namespace graphbench::machine
