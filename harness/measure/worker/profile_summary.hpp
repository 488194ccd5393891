// From activity records of a few steps to one cell's profile. Pure.
#pragma once

#include <vector>

#include "graphs/device/profiler.hpp"
#include "harness/model/instruments.hpp"

namespace graphbench::worker {

// How long anything ran, and how long nothing did between the first start and the last end. Records
// may overlap and stand in any order.
struct BusyTime {
  double busy_seconds = 0;
  double gap_seconds = 0;
};
BusyTime busy_time(std::vector<Activity> activities);

// One step as both instruments saw it.
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

}  // namespace graphbench::worker
