// Checks a cell for contradictions. An absent number is NaN here, and all comparisons with NaN are false.
#include "harness/model/codec/check_cell.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/statistics/metric_values.hpp"

namespace graphbench::model {
namespace {

constexpr double seconds_min = 1e-15;
constexpr double seconds_max = 1e9;
constexpr double absent = std::numeric_limits<double>::quiet_NaN();

std::string why_no_median(double seconds) {
  if (seconds <= 0) return shortest_text(seconds) + " is not a positive time";
  return can_be_median(seconds)
             ? ""
             : shortest_text(seconds) + " is not a time between a femtosecond and 30 years";
}

std::vector<const MetricRow*> rows_of_launches() {
  std::vector<const MetricRow*> rows;
  for (const MetricSection section :
       {MetricSection::setup, MetricSection::launch, MetricSection::sustained}) {
    for (const MetricRow* row : metrics_in(section)) rows.push_back(row);
  }
  return rows;
}

// Returns the id without the parts that this version does not know, such as a newer axis or a ladder's part.
std::string known_part(std::string_view id) {
  const auto& axes = model::axes();
  auto first = std::ranges::count_if(axes, [](const Axis& axis) { return !axis.came_later(); });
  std::string known;
  for (std::size_t begin = 0; begin < id.size(); --first) {
    const std::size_t end = std::min(id.find('/', begin), id.size());
    const std::string_view part = id.substr(begin, end - begin);
    const auto names_it = [&](const Axis& axis) {
      return axis.came_later() && part.starts_with(axis.name + "=");
    };
    if (first > 0 || std::ranges::any_of(axes, names_it)) known.append(known.empty() ? "" : "/").append(part);
    begin = end + 1;
  }
  return known;
}

}  // namespace

bool can_be_median(double seconds) {
  return seconds >= seconds_min && seconds <= seconds_max;
}

std::optional<std::int64_t> count_of(const MetricValue& of, const CellResult& cell) {
  const std::optional<double> value = of.of_cell(cell);
  return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
}

CellChecker::CellChecker(const JsonWalk& walk) : walk_(walk), rows_(rows_of_launches()) {}

void CellChecker::check(const std::string& id, const CellResult& cell) const {
  check_id(id, cell.cell);
  check_numbers(cell);
  if (cell.status == CellStatus::ok) check_measured(cell);
  check_launch_bound(cell);
}

void CellChecker::check_id(const std::string& id, const Cell& cell) const {
  const bool says_axes = cell != Cell();
  if (const std::string said = id_of(cell); says_axes && id != said && known_part(id) != said)
    walk_.fail("the cell's id does not match its fields: " + in_quotes(said));
}

void CellChecker::check_numbers(const CellResult& cell) const {
  for (std::size_t i = 0; i < cell.launches.size(); ++i) check_launch(cell.launches[i], i);
  std::vector<std::int64_t> indices;
  indices.reserve(cell.launches.size());
  for (const Launch& launch : cell.launches) indices.push_back(launch.index);
  std::ranges::sort(indices);
  if (const auto repeated = std::ranges::adjacent_find(indices); repeated != indices.end()) {
    walk_.fail_below("launches",
                     "index " + std::to_string(*repeated) + " appears twice: give each launch once");
  }
  for (const MetricRow* row : counted_metrics()) {
    const std::optional<std::int64_t> count = count_of(row->value, cell);
    if (!count || *count >= 0) continue;
    walk_.fail_below(path_below(*row), std::to_string(*count) + " is not a whole number from 0 up");
  }
  if (cell.check && cell.check->identical && cell.check->max_abs_error > 0)
    walk_.fail_below("check.max_abs_error", shortest_text(cell.check->max_abs_error) +
                                                " contradicts \"identical\": true: measure again");
  // A comparison does not read the summary, but an impossible summary shows that the document is wrong.
  for (const MetricRow& row : metrics()) {
    if (row.estimate == nullptr || !(cell.summary.*row.estimate)) continue;
    const double p50 = (cell.summary.*row.estimate)->p50;
    if (std::isnan(p50)) continue;
    if (const std::string why = why_no_median(p50); !why.empty())
      walk_.fail_below("summary." + std::string(row.name) + ".p50", why);
  }
}

void CellChecker::check_measured(const CellResult& cell) const {
  if (cell.check && !cell.check->identical && !cell.check->tolerated)
    walk_.fail("the cell's status is ok, but its check does not say that outputs are identical");
  if (cell.launches.empty())
    walk_.fail("the cell's status is ok, but the cell has no launches: give at least one");
  const auto has_a_time = [](const Launch& launch) {
    return std::ranges::any_of(compared_metrics(), [&](const MetricRow* row) {
      return can_be_median(value_of(*row, launch).value_or(absent));
    });
  };
  if (std::ranges::none_of(cell.launches, has_a_time))
    walk_.fail("the cell's status is ok, but none of its launches has a time: give a launch with a time");
}

void CellChecker::check_launch_bound(const CellResult& cell) const {
  const std::optional<double>& share = cell.summary.launch_bound;
  const std::optional<Estimate>& latency = cell.summary.latency_seconds;
  // What `whole` says is made again with its cell (check_summaries.cpp).
  if (!share || cell.summary.launch_bound_by == LaunchBoundBy::whole) return;
  const auto contradicts = [&](const std::string& detail) {
    walk_.fail_below("summary.launch_bound", "the value contradicts the cell's records: " + detail);
  };
  if (!cell.records) contradicts("the cell has no records");
  double idle = latency ? 1 - cell.records->busy_seconds / latency->p50 : absent;
  if (idle < 0) idle = 0;
  constexpr double rounding = 1e-9;
  if (std::abs(*share - idle) > rounding)
    contradicts(shortest_text(*share) + " is not " + shortest_text(idle) + ", which is 1 - busy / latency");
}

void CellChecker::check_launch(const Launch& launch, std::size_t launch_place) const {
  if (launch.index < 0) {
    walk_.fail_below("launches[" + std::to_string(launch_place) + "].index",
                     std::to_string(launch.index) + " is not a whole number from 0 up");
  }
  for (const MetricRow* row : rows_) {
    const Place place{launch_place, *row};
    if (row->value.summary_of != nullptr) {
      if (const Summary* summary = row->value.summary_of(launch)) check_summary(*summary, place);
      continue;
    }
    const double number = value_of(*row, launch).value_or(absent);
    const bool is_time = row->kind == MetricKind::time;
    if (number < 0 || (is_time && number > seconds_max))
      refuse(place, "",
             shortest_text(number) + " is not a " +
                 (is_time ? "time from 0 to 1e9 seconds" : "number from 0 up"));
  }
}

// Compares the p50 only with min and max, because it is the geometric mean of the placements' medians
// (Launch). If one placement is much slower than the others, p90 of all samples may be less than p50.
void CellChecker::check_summary(const Summary& summary, const Place& place) const {
  const double p50 = summary.p50;
  if (std::isnan(p50)) refuse(place, "", "the summary has no \"p50\"");
  if (const std::string why = why_no_median(p50); !why.empty()) refuse(place, "p50", why);
  if (summary.count == 0) refuse(place, "count", "a median needs at least one sample");
  if (summary.count < 0)
    refuse(place, "count", std::to_string(summary.count) + " is not a whole number from 0 up");
  const std::pair<const char*, double> ranks[] = {{"min", summary.min},
                                                  {"p90", summary.p90.value_or(absent)},
                                                  {"p99", summary.p99.value_or(absent)},
                                                  {"p999", summary.p999.value_or(absent)},
                                                  {"max", summary.max}};
  const auto check_time = [&](const char* name, double seconds) {
    if (seconds < 0 || seconds > seconds_max)
      refuse(place, name, shortest_text(seconds) + " is not a time from 0 to 1e9 seconds");
  };
  const auto contradicts = [&](const char* greater, const char* less) {
    refuse(
        place, "",
        "the summary contradicts itself: " + std::string(greater) + " is greater than " + std::string(less));
  };
  const std::pair<const char*, double>* below = nullptr;
  for (const auto& rank : ranks) {
    if (std::isnan(rank.second)) continue;
    check_time(rank.first, rank.second);
    if (below != nullptr && rank.second < below->second) contradicts(below->first, rank.first);
    below = &rank;
  }
  check_time("mean", summary.mean);
  check_time("stddev", summary.stddev.value_or(absent));
  constexpr double rounding = 1e-9;  // relative error of a mean
  if (summary.min > p50 * (1 + rounding)) contradicts("min", "p50");
  if (p50 > summary.max * (1 + rounding)) contradicts("p50", "max");
}

void CellChecker::refuse(const Place& place, std::string_view rank, const std::string& detail) const {
  std::string where = "launches[" + std::to_string(place.launch) + "]." + path_below(place.row);
  if (!rank.empty()) where.append(".").append(rank);
  walk_.fail_below(where, detail);
}

}  // namespace graphbench::model
