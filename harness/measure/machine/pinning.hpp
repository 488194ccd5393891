// Pins the submitting thread to one CPU and keeps the process's other threads off that CPU. A thread that
// the scheduler moves finds cold caches in the middle of a sample. Between samples the thread may move off a
// core that it shares with a program on the other hardware thread or with another virtual machine.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "harness/model/settings.hpp"

namespace graphbench::measure {

// The CPUs that this process may run on, ascending. Throws Error(io) if the system does not list them.
std::vector<int> allowed_cpus();

// The CPUs that the submitting thread may use, ascending: the CPU that the user names, else
// `options.submitter`, else a choice without a device (cpu_choice.hpp). Empty if pinning is off. Throws
// Error(invalid_argument) if the process may not use the named CPU.
std::vector<int> submitter_cpus(const model::InstrumentOptions& options, const std::vector<int>& allowed);

// Returns the median time in seconds of five runs of fixed arithmetic, some tens of microseconds. The
// arithmetic uses all execution units of a core, which the core's hardware threads share.
double arithmetic_seconds();

// Call keep_others_off() first. Then open the device and make streams: their threads inherit all CPUs except
// the submitter's. Then call take(). On a machine with one CPU all threads share it.
class SubmitterPin {
 public:
  using Probe = std::function<double()>;  // seconds of a fixed computation on the calling thread's CPU

  // A CPU is disturbed if its probe takes more than this multiple of the quickest probe's time.
  static constexpr double disturbed = model::LaunchMachine::shared_core_slowdown;

  // `roams`: the thread may move among all submitter_cpus(), for a device whose threads need few CPUs.
  // Otherwise it uses the highest of them.
  SubmitterPin(const model::InstrumentOptions& options, std::vector<int> allowed, bool roams,
               Probe probe = arithmetic_seconds);

  // keep_others_off(), take() and hold() throw Error(io) if the system refuses to move the thread.
  void keep_others_off() const;
  // Moves to the highest undisturbed CPU, or to the least disturbed if all are disturbed. Skips CPUs that the
  // process may no longer use, unless none is left.
  void take();
  // Call this between samples, after take(). Stays on a quiet CPU, or else moves as take() does. Returns the
  // time of the CPU's probe over the quickest probe's time, at least 1. Absent if pinning is off.
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

}  // namespace graphbench::measure
