// Combines what the ranks of a group measured, which each rank computes alike.
#include "harness/measure/ranks/group_times.hpp"

#include <algorithm>
#include <bit>

#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/statistics/summary.hpp"

namespace graphbench::ranks {
namespace {

// For each number that all ranks give: the smallest, or the largest.
std::vector<std::int64_t> extreme(const std::vector<std::vector<std::int64_t>>& ranks, bool largest) {
  std::vector<std::int64_t> found = ranks.front();
  for (const std::vector<std::int64_t>& rank : ranks) {
    for (std::size_t i = 0; i < found.size(); ++i)
      found[i] = largest ? std::max(found[i], rank[i]) : std::min(found[i], rank[i]);
  }
  return found;
}

std::vector<std::int64_t> nanoseconds(const measure::DurationBuffer& buffer, std::size_t first) {
  std::vector<std::int64_t> values;
  for (std::size_t i = first; i < buffer.size(); ++i) values.push_back(buffer.at(i));
  return values;
}

}  // namespace

void combine(Rank& rank, std::size_t first, measure::DurationBuffer& submit_ns,
             measure::SampleBuffer& latency_ns, GroupTimes& times) {
  std::vector<std::int64_t> starts = latency_ns.started_ns();
  starts.erase(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(first));
  std::vector<std::int64_t> ends = nanoseconds(latency_ns, first);
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i] += starts[i];
  const auto submits = rank.gather(nanoseconds(submit_ns, first));
  const auto all_ends = rank.gather(ends);
  starts = extreme(rank.gather(starts), false);
  ends = extreme(all_ends, true);
  const std::vector<std::int64_t> first_ends = extreme(all_ends, false);
  const std::vector<std::int64_t> slowest = extreme(submits, true);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    submit_ns.replace(first + i, slowest[i]);
    latency_ns.replace(first + i, starts[i], ends[i] - starts[i]);
    times.skew_seconds.push_back(static_cast<double>(ends[i] - first_ends[i]) * 1e-9);
  }
  times.submit_seconds.resize(submits.size());
  for (std::size_t r = 0; r < submits.size(); ++r) {
    for (const std::int64_t submit : submits[r])
      times.submit_seconds[r].push_back(static_cast<double>(submit) * 1e-9);
  }
}

void combine(Rank& rank, std::size_t first, measure::SampleBuffer& device_ns) {
  const std::vector<std::int64_t> slowest = extreme(rank.gather(nanoseconds(device_ns, first)), true);
  for (std::size_t i = first; i < device_ns.size(); ++i) device_ns.replace(i, slowest[i - first]);
}

double largest(Rank& rank, double mine) {  // the bits of positive numbers are in their order
  return std::bit_cast<double>(extreme(rank.gather({std::bit_cast<std::int64_t>(mine)}), true).front());
}

void combine(Rank& rank, model::Setup& setup) {
  if (setup.prepare_seconds) setup.prepare_seconds = largest(rank, *setup.prepare_seconds);
  for (double model::Setup::*stage : {&model::Setup::warmup_seconds, &model::Setup::capture_seconds,
                                      &model::Setup::instantiate_seconds, &model::Setup::upload_seconds})
    setup.*stage = largest(rank, setup.*stage);
}

void combine(Rank& rank, model::Check& check) {
  check.max_abs_error = largest(rank, check.max_abs_error);
  if (largest(rank, check.identical ? 0 : 1) == 0) return;
  if (check.identical) check.tolerated = "outputs of another rank differ as another order can cause";
  check.identical = false;
}

model::RankTimes summary_of(const GroupTimes& times) {
  model::RankTimes summary{};
  summary.skew_seconds = statistics::summarize_placements({times.skew_seconds});
  for (const std::vector<double>& submits : times.submit_seconds)
    summary.submit_seconds.push_back(statistics::median(submits));
  return summary;
}

}  // namespace graphbench::ranks
