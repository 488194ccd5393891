// Makes one cell's profile from activity records of a few steps. Pure.
#pragma once

#include <vector>

#include "graphs/device/profiler.hpp"
#include "harness/model/instruments.hpp"

namespace graphbench::worker {

// Steps that run under a profiler before the recorded steps.
inline constexpr int settling_steps = 3;
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

// Medians over `steps`. `top` has at most ten names, including copies and fills. Needs at least one step.
model::Profile summarize_profile(const std::vector<RecordedStep>& steps);

// Medians over `steps`. A delay kept the device busy while the host submitted each step; the caller has
// removed the delay's records. `without` was measured in the same way, but with no step between the events.
// Both need at least one element.
model::DeviceTimeCheck summarize_time_check(const std::vector<RecordedStep>& steps,
                                            const std::vector<RecordedStep>& without);

// Compares the kernels of the last step of each list by the first 160 bytes of their names, in any order.
// Leaves out kernels that the driver adds only in graphs, to fill memory. Busy time is the median over
// `steps`. Both lists need at least one step. graph_seconds stays 0.
model::StepRecords summarize_records(const std::vector<RecordedStep>& steps,
                                     const std::vector<RecordedStep>& eager);

}  // namespace graphbench::worker
