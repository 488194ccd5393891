// Makes one cell's profile from activity records of a few steps. Pure.
#pragma once

#include <vector>

#include "graphs/device/profiler.hpp"
#include "harness/model/instruments.hpp"

namespace graphbench::worker {

// Steps that run under a profiler before those that it records.
inline constexpr int settling_steps = 3;
inline constexpr int recorded_steps = 5;

// The time in which anything ran, and the time in which nothing did between the first start and the last end.
// Records may overlap and come in any order.
struct BusyTime {
  double busy_seconds = 0;
  double gap_seconds = 0;
};
BusyTime busy_time(std::vector<Activity> activities);

// One step as both instruments recorded it.
struct RecordedStep {
  double device_seconds = 0;  // between the events around it
  std::vector<Activity> activities;
};

// Medians over `steps`; `top` holds at most ten names, copies and fills among them. At least one step.
model::Profile summarize_profile(const std::vector<RecordedStep>& steps);

// Medians over `steps`, which waited behind a delay whose records are left out. `without`: the same
// measurement without a step. At least one of each.
model::DeviceTimeCheck summarize_time_check(const std::vector<RecordedStep>& steps,
                                            const std::vector<RecordedStep>& without);

// Compares kernels of the last steps by the first 160 bytes of their names, without their order, and leaves
// out those by which the driver fills memory in a graph and not outside. Busy time is the median over steps.
// At least one of each. graph_seconds is left 0.
model::StepRecords summarize_records(const std::vector<RecordedStep>& steps,
                                     const std::vector<RecordedStep>& eager);

}  // namespace graphbench::worker
