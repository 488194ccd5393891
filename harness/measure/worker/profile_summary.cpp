// Computes busy times and medians from activity records.
#include "harness/measure/worker/profile_summary.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <string>

#include "graphs/base/error.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::measure {
namespace {

using model::median;

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

void KernelOps::add(const std::string& op, const std::vector<Activity>& activities) {
  if (op.empty()) return;
  for (const Activity& activity : activities) {
    std::vector<std::string>& ops = ops_[activity.name];
    if (std::ranges::find(ops, op) == ops.end()) ops.push_back(op);
  }
}

void KernelOps::name(std::vector<model::ProfileEntry>& kernels) const {
  for (model::ProfileEntry& kernel : kernels) {
    if (const auto found = ops_.find(kernel.name); found != ops_.end()) kernel.ops = found->second;
  }
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
    profile.top.push_back({name, median(entry.seconds), static_cast<std::int64_t>(median(entry.counts)), {}});
  }
  std::ranges::stable_sort(profile.top, std::greater<>{}, &model::ProfileEntry::seconds);
  if (profile.top.size() > top_max) profile.top.resize(top_max);
  return profile;
}

namespace {

constexpr std::size_t name_max = 160;

// The work of one step: how often each kernel runs, by name, and each copy, by its bytes.
struct StepContents {
  std::map<std::string, std::int64_t> kernels;
  std::map<std::int64_t, std::int64_t> copies;
  std::int64_t kernel_count = 0;
  std::int64_t graphed = 0;  // kernels
  std::int64_t copy_count = 0;
  std::int64_t beside = 0;
  bool sizes_known = true;

  void add_copy(std::int64_t bytes) {
    ++copies[bytes];
    ++copy_count;
  }
};

// The driver's own kernels in graphs have names such as memcpy32_post, memcpy128 and memset32_post.
bool copies_in_graph(const Activity& activity) {
  return activity.kind == Activity::Kind::copy ||
         (activity.kind == Activity::Kind::kernel && activity.name.starts_with("memcpy"));
}

StepContents contents_of(const RecordedStep& step, const ProfiledGraphs& graphs, const StepContents& eager) {
  StepContents work;
  const bool any_graph = std::ranges::any_of(step.activities, &Activity::in_graph);
  const auto is_beside = [&](const Activity& activity) {
    if (activity.in_graph || graphs.all) return !activity.in_graph;
    return graphs.all_but_copies && any_graph &&
           (activity.kind == Activity::Kind::copy
                ? !eager.copies.contains(activity.bytes)
                : !eager.kernels.contains(activity.name.substr(0, name_max)));
  };
  for (const Activity& activity : step.activities) {
    const bool fills = activity.kind == Activity::Kind::fill || activity.name.starts_with("memset");
    if (is_beside(activity)) {
      work.beside += fills ? 0 : 1;
    } else if (activity.in_graph && copies_in_graph(activity)) {
      if (graphs.copies) continue;
      work.sizes_known = work.sizes_known && activity.kind == Activity::Kind::copy;
      work.add_copy(activity.bytes);
    } else if (activity.kind == Activity::Kind::copy) {
      work.add_copy(activity.bytes);
    } else if (!fills) {
      ++work.kernels[activity.name.substr(0, name_max)];
      ++work.kernel_count;
      work.graphed += activity.in_graph ? 1 : 0;
    }
  }
  for (const std::int64_t bytes : graphs.copies.value_or(std::vector<std::int64_t>{})) work.add_copy(bytes);
  return work;
}

// Calls `differ(key, eager, here)` for each key whose counts differ. Returns the sum of the differences.
template <typename Key, typename Differ>
std::int64_t compare_counts(const std::map<Key, std::int64_t>& eager, const std::map<Key, std::int64_t>& here,
                            Differ&& differ) {
  std::map<Key, std::pair<std::int64_t, std::int64_t>> both;
  for (const auto& [key, count] : eager) both[key].first = count;
  for (const auto& [key, count] : here) both[key].second = count;
  std::int64_t sum = 0;
  for (const auto& [key, counts] : both) {
    if (counts.first == counts.second) continue;
    sum += std::abs(counts.first - counts.second);
    differ(key, counts.first, counts.second);
  }
  return sum;
}

}  // namespace

model::StepRecords summarize_records(const std::vector<RecordedStep>& steps,
                                     const std::vector<RecordedStep>& eager, const ProfiledGraphs& graphs) {
  constexpr std::size_t differences_max = 5;
  const model::Profile profile = summarize_profile(steps);
  const StepContents wanted = contents_of(eager.back(), {}, {});
  const StepContents found = contents_of(steps.back(), graphs, wanted);
  model::StepRecords records{.steps = profile.steps,
                             .busy_seconds = profile.busy_seconds,
                             .operations = static_cast<std::int64_t>(steps.back().activities.size()),
                             .kernels = found.kernel_count,
                             .eager_kernels = wanted.kernel_count,
                             .other_kernels = 0,
                             .differences = {},
                             .copies = found.copy_count,
                             .eager_copies = wanted.copy_count,
                             .other_copies = 0,
                             .framework_kernels = std::nullopt,
                             .graphed_kernels = found.graphed,
                             .graph_seconds = 0};
  const auto add = [&](const std::string& what, std::int64_t in_eager, std::int64_t here) {
    if (records.differences.size() == differences_max) return;
    records.differences.push_back(std::to_string(in_eager) + " eager, " + std::to_string(here) +
                                  " here: " + what);
  };
  records.other_kernels = compare_counts(wanted.kernels, found.kernels, add);
  if (found.sizes_known) {
    records.other_copies =
        compare_counts(wanted.copies, found.copies, [&](std::int64_t bytes, std::int64_t a, std::int64_t b) {
          add("copy of " + std::to_string(bytes) + " bytes", a, b);
        });
  } else if (wanted.copy_count != found.copy_count) {
    records.other_copies = std::abs(wanted.copy_count - found.copy_count);
    add("copies", wanted.copy_count, found.copy_count);
  }
  if (found.beside > 0) records.framework_kernels = found.beside;
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

}  // namespace graphbench::measure
