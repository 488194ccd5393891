// Makes one cell's profile from activity records of a few steps. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graphs/device/profiler.hpp"
#include "harness/model/instruments.hpp"

namespace graphbench::measure {

// Steps that run under a profiler before the recorded steps.
inline constexpr int profile_settling_steps = 3;
inline constexpr int recorded_steps = 5;

// The time in which any activity ran, and the time without activity between the first start and the last
// end. Records may overlap and come in any order.
struct BusyTime {
  double busy_seconds = 0;
  double gap_seconds = 0;
};
BusyTime busy_time(std::vector<Activity> activities);

struct RecordedStep {
  double device_seconds = 0;  // time between the step's two events
  std::vector<Activity> activities;
};

// Which ops of a program, or modules of a foreign step, launch each kernel.
class KernelOps {
 public:
  // `op`: empty for what no op is known to launch.
  void add(const std::string& op, const std::vector<Activity>& activities);
  void name(std::vector<model::ProfileEntry>& kernels) const;

 private:
  std::map<std::string, std::vector<std::string>> ops_;  // by kernel
};

// Medians over `steps`. `top` has at most ten names, including copies and fills. Needs at least one step.
model::Profile summarize_profile(const std::vector<RecordedStep>& steps);

// Medians over `steps`. A delay kept the device busy while the host submitted each step; the caller has
// removed the delay's records. `without` was measured in the same way, but with no step between the events.
// Both need at least one element.
model::DeviceTimeCheck summarize_time_check(const std::vector<RecordedStep>& steps,
                                            const std::vector<RecordedStep>& without);

// What is known of a step's graphs when its records are compared with eager's.
struct ProfiledGraphs {
  // The step consists of graphs alone, so what runs beside them is not the step's.
  bool all = false;
  // The library says of no part that it took no graph of it. So what runs beside its graphs, and not in
  // eager, is not the step's: it copies inputs to where the graphs read them, or sets a generator's state.
  bool all_but_copies = false;
  // The bytes of each copy node, if the graphs can be read: the driver runs small copies of a graph as
  // kernels.
  std::optional<std::vector<std::int64_t>> copies = {};
};

// Compares the work of the last step of each list, in any order: kernels by the first 160 bytes of their
// names, copies by their bytes. Kernels that the driver runs in a graph for copies and fills are no kernels
// of the step. Busy time is the median over `steps`. Both lists need at least one step. graph_seconds stays
// 0.
model::StepRecords summarize_records(const std::vector<RecordedStep>& steps,
                                     const std::vector<RecordedStep>& eager,
                                     const ProfiledGraphs& graphs = {});

}  // namespace graphbench::measure
