// Computes busy times and medians from activity records.
#include "harness/measure/worker/profile_summary.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <string>

#include "graphs/base/error.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::worker {
namespace {

using statistics::median;

constexpr std::size_t top_max = 10;

struct ByName {
  std::vector<double> seconds;  // one element per step
  std::vector<double> counts;
};

std::map<std::string, ByName> by_name(const std::vector<RecordedStep>& steps) {
  std::map<std::string, ByName> names;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    for (const Activity& activity : steps[step].activities) {
      ByName& entry = names[activity.name];
      entry.seconds.resize(steps.size());
      entry.counts.resize(steps.size());
      entry.seconds[step] += activity.end_seconds - activity.start_seconds;
      entry.counts[step] += 1;
    }
  }
  return names;
}

double recorded_seconds(const RecordedStep& step) {
  const BusyTime time = busy_time(step.activities);
  return time.busy_seconds + time.gap_seconds;
}

double median_difference(const std::vector<RecordedStep>& steps) {
  std::vector<double> differences;
  for (const RecordedStep& step : steps) differences.push_back(step.device_seconds - recorded_seconds(step));
  return median(differences);
}

}  // namespace

BusyTime busy_time(std::vector<Activity> activities) {
  if (activities.empty()) return {};
  std::ranges::sort(activities, {}, &Activity::start_seconds);
  BusyTime time;
  double reached = activities.front().start_seconds;
  for (const Activity& activity : activities) {
    if (activity.start_seconds > reached) {
      time.gap_seconds += activity.start_seconds - reached;
      reached = activity.start_seconds;
    }
    if (activity.end_seconds > reached) {
      time.busy_seconds += activity.end_seconds - reached;
      reached = activity.end_seconds;
    }
  }
  return time;
}

model::Profile summarize_profile(const std::vector<RecordedStep>& steps) {
  GRAPHBENCH_ASSERT(!steps.empty());
  std::vector<double> busy;
  std::vector<double> gaps;
  std::vector<double> kernels;
  std::vector<double> device;
  for (const RecordedStep& step : steps) {
    const BusyTime time = busy_time(step.activities);
    device.push_back(step.device_seconds);
    busy.push_back(time.busy_seconds);
    gaps.push_back(time.gap_seconds);
    kernels.push_back(
        static_cast<double>(std::ranges::count(step.activities, Activity::Kind::kernel, &Activity::kind)));
  }
  model::Profile profile{};
  profile.steps = static_cast<std::int64_t>(steps.size());
  profile.busy_seconds = median(busy);
  profile.gap_seconds = median(gaps);
  profile.kernels = static_cast<std::int64_t>(median(kernels));
  profile.device_seconds = median(device);
  for (const auto& [name, entry] : by_name(steps)) {
    profile.top.push_back({name, median(entry.seconds), static_cast<std::int64_t>(median(entry.counts))});
  }
  std::ranges::stable_sort(profile.top, std::greater<>{}, &model::ProfileEntry::seconds);
  if (profile.top.size() > top_max) profile.top.resize(top_max);
  return profile;
}

model::StepRecords summarize_records(const std::vector<RecordedStep>& steps,
                                     const std::vector<RecordedStep>& eager) {
  constexpr std::size_t differences_max = 5;
  constexpr std::size_t name_max = 160;
  const model::Profile profile = summarize_profile(steps);
  model::StepRecords records{.steps = profile.steps,
                             .busy_seconds = profile.busy_seconds,
                             .operations = static_cast<std::int64_t>(steps.back().activities.size()),
                             .kernels = 0,
                             .eager_kernels = 0,
                             .other_kernels = 0,
                             .differences = {},
                             .graph_seconds = 0};
  struct Counts {
    std::int64_t eager = 0;
    std::int64_t here = 0;
  };
  std::map<std::string, Counts> names;
  const auto count = [&](const RecordedStep& step, std::int64_t Counts::*side, std::int64_t& all) {
    for (const Activity& activity : step.activities) {
      if (activity.kind != Activity::Kind::kernel || activity.name.starts_with("memset")) continue;
      ++(names[activity.name.substr(0, name_max)].*side);
      ++all;
    }
  };
  count(eager.back(), &Counts::eager, records.eager_kernels);
  count(steps.back(), &Counts::here, records.kernels);
  for (const auto& [name, counts] : names) {
    if (counts.eager == counts.here) continue;
    records.other_kernels += std::abs(counts.eager - counts.here);
    if (records.differences.size() == differences_max) continue;
    records.differences.push_back(std::to_string(counts.eager) + " eager, " + std::to_string(counts.here) +
                                  " here: " + name);
  }
  return records;
}

model::DeviceTimeCheck summarize_time_check(const std::vector<RecordedStep>& steps,
                                            const std::vector<RecordedStep>& without) {
  GRAPHBENCH_ASSERT(!steps.empty() && !without.empty());
  std::vector<double> device;
  std::vector<double> recorded;
  for (const RecordedStep& step : steps) {
    device.push_back(step.device_seconds);
    recorded.push_back(recorded_seconds(step));
  }
  return {.steps = static_cast<std::int64_t>(steps.size()),
          .device_seconds = median(device),
          .recorded_seconds = median(recorded),
          .difference_seconds = median_difference(steps),
          .events_seconds = median_difference(without)};
}

}  // namespace graphbench::worker
