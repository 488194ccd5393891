// Simulates admission, and finds the batches that keep their size.
#include "harness/ladder/closed.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"

namespace graphbench::ladder {
namespace {

// A ladder's step time by batch: of the smallest captured size that is large enough, eager beyond.
std::optional<double> step_of(const MeasuredGroup& group, std::int64_t batch) {
  const auto fits = std::ranges::lower_bound(group.sizes, batch);
  if (fits != group.sizes.end()) return priced(group.measured.step_seconds, *fits);
  return priced(group.measured.eager, batch);
}

std::int64_t largest_of(const MeasuredGroup& group) {
  const std::int64_t eager = group.measured.eager.empty() ? 0 : group.measured.eager.rbegin()->first;
  return std::max(eager, group.sizes.empty() ? 0 : group.sizes.back());
}

double prefill_of(const std::vector<MeasuredGroup>& groups, const MeasuredGroup& of,
                  const std::string& workload) {
  for (const MeasuredGroup& each : groups) {
    if (each.cell.workload != workload || each.measured.eager.empty()) continue;
    if (of.sizes.empty()) return each.measured.eager.begin()->second;
    if (each.cell.mode == of.cell.mode) return each.measured.step_seconds.begin()->second;
  }
  throw InputError("--prefill-seconds", in_quotes(workload) +
                                            " is neither a number of seconds above 0 nor a workload that was "
                                            "measured in " +
                                            of.cell.mode + ": give one of them");
}

ClosedBatches close(const MeasuredGroup& group, const ClosedRequest& request, std::optional<double> prefill) {
  const std::int64_t measured = largest_of(group);
  const std::int64_t most = request.most.value_or(measured);
  const Admission admission{.step_seconds = [&group](std::int64_t batch) { return step_of(group, batch); },
                            .prefill_seconds = prefill.value_or(0),
                            .most = most};
  const std::vector<Request> requests = make_requests(request.traffic, request.steps, most, request.seed);
  ClosedBatches made;
  Closed& closed = made.closed;
  closed.cell = group.cell;
  closed.cell.batch = group.sizes.empty() ? 0 : group.sizes.back();
  closed.from = group.from;
  closed.traffic = request.traffic.name;
  closed.note = request.traffic.note;
  closed.prefill_seconds = prefill;
  closed.most = most;
  for (const Request& each : requests) closed.tokens += static_cast<double>(each.tokens);
  const auto count = static_cast<double>(requests.size());
  closed.tokens /= count;
  closed.rate = request.traffic.request_rate.value_or((count - 1) /
                                                      (requests.back().arrival - requests.front().arrival));
  FixedPoints points = fixed_points(closed.rate, closed.tokens, admission);
  closed.points = std::move(points.stable);
  for (ClosedPoint& each : closed.points)
    each.captured = !group.sizes.empty() && each.batch <= static_cast<double>(group.sizes.back());
  if (most > measured || (!request.most && points.grows)) {
    closed.none = "no answer beyond " + std::to_string(measured) + ", the largest measured size";
  } else if (points.grows) {
    closed.none = "no fixed point: load above capacity, " + std::to_string(most) + " requests at once";
  }
  if (!closed.points.empty() || !closed.none.starts_with("no answer"))
    made.trace.rows = batches_of(requests, admission, request.steps);
  const auto hits = std::ranges::count_if(
      made.trace.rows, [&](std::int64_t rows) { return !group.sizes.empty() && rows <= group.sizes.back(); });
  if (!made.trace.rows.empty())
    closed.hit_rate = static_cast<double>(hits) / static_cast<double>(made.trace.rows.size());
  return made;
}

}  // namespace

std::vector<std::int64_t> batches_of(const std::vector<Request>& requests, const Admission& admission,
                                     std::int64_t most_steps) {
  std::vector<std::int64_t> batches;
  std::map<std::int64_t, std::int64_t> leaving;  // after which step -> how many requests
  std::int64_t batch = 0;
  std::size_t next = 0;
  double now = 0;
  for (std::int64_t step = 0; step < most_steps && (batch > 0 || next < requests.size()); ++step) {
    if (batch == 0) now = std::max(now, requests[next].arrival);
    for (; next < requests.size() && requests[next].arrival <= now && batch < admission.most; ++next) {
      ++batch;
      ++leaving[step + requests[next].tokens - 1];
      now += admission.prefill_seconds;
    }
    const std::optional<double> seconds = admission.step_seconds(batch);
    if (!seconds) break;
    batches.push_back(batch);
    now += *seconds;
    if (leaving.begin()->first > step) continue;
    batch -= leaving.begin()->second;
    leaving.erase(leaving.begin());
  }
  return batches;
}

FixedPoints fixed_points(double rate, double tokens, const Admission& admission) {
  FixedPoints found;
  const double decoding = 1 - rate * admission.prefill_seconds;  // the share of time that is left for it
  // What a batch of this size becomes: so many requests arrive while one is served.
  const auto becomes = [&](std::int64_t batch) -> std::optional<double> {
    const std::optional<double> seconds = admission.step_seconds(std::max<std::int64_t>(batch, 1));
    if (!seconds) return std::nullopt;
    return decoding <= 0 ? HUGE_VAL : rate * tokens * *seconds / decoding;
  };
  found.grows = true;
  double before = 1;  // by how much a batch of the size before grows
  for (std::int64_t batch = 1; batch <= admission.most; ++batch) {
    const std::optional<double> next = becomes(batch);
    if (!next) break;
    const double grows = *next - static_cast<double>(batch);
    if (before >= 0 && grows < 0) {
      const double at = batch == 1 ? *next : static_cast<double>(batch) - grows / (grows - before);
      found.stable.push_back({.batch = at, .step_seconds = *admission.step_seconds(batch)});
    }
    before = grows;
    found.grows = grows >= 0;
  }
  return found;
}

std::vector<ClosedBatches> close(const std::vector<MeasuredGroup>& groups, const ClosedRequest& request) {
  std::vector<ClosedBatches> made;
  const auto add = [&](const MeasuredGroup& group, std::optional<std::size_t> place) {
    made.push_back(close(group, request,
                         request.prefill_workload.empty()
                             ? request.prefill_seconds
                             : std::optional(prefill_of(groups, group, request.prefill_workload))));
    made.back().group = place;
  };
  std::vector<MeasuredGroup> eagers;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].cell.workload == request.prefill_workload) continue;
    add(groups[i], i);
    MeasuredGroup eager = groups[i];
    eager.cell = model::reference_of(eager.cell);
    eager.cell.batch = 0;
    eager.sizes.clear();
    if (!eager.measured.eager.empty() &&
        std::ranges::find(eagers, eager.cell, &MeasuredGroup::cell) == eagers.end())
      eagers.push_back(std::move(eager));
  }
  for (const MeasuredGroup& each : eagers) add(each, std::nullopt);
  return made;
}

}  // namespace graphbench::ladder
