// Combines what the ranks of a group measured, which each rank computes alike.
#include "harness/measure/ranks/group_times.hpp"

#include <algorithm>
#include <bit>

#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/statistics/summary.hpp"

namespace graphbench::ranks {
namespace {

using Columns = std::vector<std::vector<std::int64_t>>;

std::int64_t largest_at(const Columns& columns, std::size_t i) {
  std::int64_t largest = columns.front()[i];
  for (const std::vector<std::int64_t>& column : columns) largest = std::max(largest, column[i]);
  return largest;
}

template <typename Buffer>
std::vector<std::int64_t> nanoseconds(const Buffer& buffer, std::size_t first) {
  std::vector<std::int64_t> values;
  for (std::size_t i = first; i < buffer.size(); ++i) values.push_back(buffer.at(i));
  return values;
}

}  // namespace

void combine(Rank& rank, std::size_t first, measure::DurationBuffer& submit_ns,
             measure::SampleBuffer& latency_ns, GroupTimes& times) {
  const Columns submits = rank.gather(nanoseconds(submit_ns, first));
  std::vector<std::int64_t> starts = latency_ns.started_ns();
  starts.erase(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(first));
  std::vector<std::int64_t> ends = nanoseconds(latency_ns, first);
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i] += starts[i];
  const Columns all_starts = rank.gather(starts);
  const Columns all_ends = rank.gather(ends);
  times.submit_seconds.resize(submits.size());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    std::int64_t start = starts[i];
    std::int64_t first_end = ends[i];
    for (std::size_t r = 0; r < all_ends.size(); ++r) {
      start = std::min(start, all_starts[r][i]);
      first_end = std::min(first_end, all_ends[r][i]);
      times.submit_seconds[r].push_back(static_cast<double>(submits[r][i]) * 1e-9);
    }
    const std::int64_t end = largest_at(all_ends, i);
    times.skew_seconds.push_back(static_cast<double>(end - first_end) * 1e-9);
    submit_ns.replace(first + i, largest_at(submits, i));
    latency_ns.replace(first + i, start, end - start);
  }
}

void combine(Rank& rank, std::size_t first, measure::SampleBuffer& device_ns) {
  const Columns all = rank.gather(nanoseconds(device_ns, first));
  for (std::size_t i = first; i < device_ns.size(); ++i) device_ns.replace(i, largest_at(all, i - first));
}

void combine(Rank& rank, model::Setup& setup) {
  const auto bits = [](double value) { return std::bit_cast<std::int64_t>(value); };  // in order, from 0 on
  const Columns all =
      rank.gather({bits(setup.prepare_seconds.value_or(0)), bits(setup.warmup_seconds),
                   bits(setup.capture_seconds), bits(setup.instantiate_seconds), bits(setup.upload_seconds)});
  const auto slowest = [&](std::size_t i) { return std::bit_cast<double>(largest_at(all, i)); };
  if (setup.prepare_seconds) setup.prepare_seconds = slowest(0);
  setup.warmup_seconds = slowest(1);
  setup.capture_seconds = slowest(2);
  setup.instantiate_seconds = slowest(3);
  setup.upload_seconds = slowest(4);
}

void combine(Rank& rank, model::Check& check) {
  const Columns all =
      rank.gather({check.identical ? 0 : 1, std::bit_cast<std::int64_t>(check.max_abs_error)});
  const std::vector<std::string> tolerated = rank.gather_text(check.tolerated.value_or(""));
  check.identical = largest_at(all, 0) == 0;
  check.max_abs_error = std::bit_cast<double>(largest_at(all, 1));
  check.tolerated.reset();
  for (std::size_t r = 0; r < tolerated.size() && !check.tolerated; ++r) {
    if (!tolerated[r].empty()) check.tolerated = "rank " + std::to_string(r) + ": " + tolerated[r];
  }
}

model::RankTimes summary_of(const GroupTimes& times) {
  model::RankTimes summary{};
  summary.skew_seconds = statistics::summarize_placements({times.skew_seconds});
  for (const std::vector<double>& submits : times.submit_seconds)
    summary.submit_seconds.push_back(statistics::median_or_absent(submits).value_or(0));
  return summary;
}

}  // namespace graphbench::ranks
