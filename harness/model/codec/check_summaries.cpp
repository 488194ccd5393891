// Writes said and made summaries as JSON and compares these, so that a summary's new field is checked as
// well.
#include "harness/model/codec/check_summaries.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/codec/result_fields.hpp"
#include "harness/model/metrics.hpp"
#include "harness/model/statistics/cell_summary.hpp"
#include "harness/model/statistics/setup_cost.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::model {
namespace {

// Other libraries round logarithms and exponentials otherwise, and Fieller's interval magnifies that.
constexpr double rounding = 1e-6;
// Beside 0, where a difference of nearly equal numbers is rounding alone.
constexpr double nothing = 1e-14;
// A break-even is rounded up to a whole step, so the smallest difference can be a step.
constexpr double step = 1;

bool is_sample_number(std::string_view key) {
  return key == "within_launch" || key == "steady_after";
}

bool agrees(double said, double made, bool in_steps) {
  const double difference = std::abs(said - made);
  return difference <= rounding * std::abs(made) + nothing || (in_steps && difference <= step);
}

// Returns what is wrong, and extends `place` to where it is; "" if all that is said follows.
std::string contradiction(const Json& said, const Json& made, std::string& place) {
  if (said.is_null()) return "";
  if (said.is_object() && (made.is_object() || made.is_null())) {
    for (const auto& [key, value] : said.items()) {
      if (is_sample_number(key)) continue;
      std::string below = place + "." + key;
      std::string fault = contradiction(value, made.is_object() ? made.value(key, Json()) : Json(), below);
      if (fault.empty()) continue;
      place = std::move(below);
      return fault;
    }
    return "";
  }
  const bool in_steps = made.is_number() && place.find("breakeven_steps") != std::string::npos;
  if (said.is_number() && (made.is_number() || made.is_null()) &&
      agrees(said.get<double>(), made.is_number() ? made.get<double>() : 0, in_steps))
    return "";
  const auto has_end = [&](const Json& end, std::size_t i) {
    std::string below = place;
    return contradiction(end, made.at(i), below).empty();
  };
  if (said.is_array() && made.is_array() && has_end(said.at(0), 0) && has_end(said.at(1), 1)) return "";
  if (said == made) return "";
  return dump(said) + " contradicts the document's launches, which give " +
         (made.is_null() ? "no such number" : dump(made)) + ": measure again";
}

double p50_of(const std::optional<Summary>& summary) {
  return summary ? summary->p50 : std::numeric_limits<double>::quiet_NaN();
}

std::optional<Summary> with_p50(double p50) {
  if (std::isnan(p50)) return std::nullopt;
  Summary summary{};
  summary.p50 = p50;
  return summary;
}

Setup with_cost(double seconds) {
  Setup setup{};
  setup.warmup_seconds = seconds;
  return setup;
}

// Without what the formulas of an earlier version gave.
CellSummary without_gains(CellSummary summary) {
  summary.speedup_ci95_low = summary.speedup_ci95_high = std::nullopt;
  summary.throughput_ci95_low = summary.throughput_ci95_high = std::nullopt;
  summary.breakeven_steps = summary.breakeven_ci95_low = summary.breakeven_ci95_high = std::nullopt;
  summary.no_breakeven = std::nullopt;
  return summary;
}

// The medians alone, for a cell whose eager cell is not known.
CellSummary medians_of(CellSummary summary) {
  CellSummary medians{};
  for (const MetricRow& row : metrics()) {
    if (row.estimate != nullptr) medians.*row.estimate = summary.*row.estimate;
  }
  return medians;
}

[[noreturn]] void fail_at(JsonWalk& walk, const std::string& id, const std::string& place,
                          const std::string& fault) {
  JsonWalk::Subject subject(walk);
  subject.is(id);
  walk.fail(place + ": " + fault);
}

}  // namespace

SummaryChecker::Kept SummaryChecker::kept_of(const CellResult& cell) {
  Kept kept;
  kept.cell = cell.cell;
  kept.summary = cell.summary;
  kept.graph = cell.graph;
  kept.counters = cell.counters;
  kept.records = cell.records;
  if (kept.records) kept.records->differences.clear();
  kept.launches.reserve(cell.launches.size());
  for (const Launch& launch : cell.launches) {
    KeptLaunch& of = kept.launches.emplace_back();
    of.index = launch.index;
    of.submit_seconds = p50_of(launch.submit_seconds);
    of.latency_seconds = p50_of(launch.latency_seconds);
    of.device_seconds = p50_of(launch.device_seconds);
    of.steps_per_second =
        launch.throughput_steps_per_second.value_or(std::numeric_limits<double>::quiet_NaN());
    of.cost_seconds = model::cost_seconds(launch.setup);
    of.startup_seconds =
        launch.startup ? model::startup_seconds(*launch.startup) : std::numeric_limits<double>::quiet_NaN();
    of.cost_of_setups_seconds.reserve(launch.setups.size());
    for (const Setup& setup : launch.setups) of.cost_of_setups_seconds.push_back(model::cost_seconds(setup));
  }
  return kept;
}

CellResult SummaryChecker::cell_of(const Kept& kept) {
  CellResult cell{};
  cell.cell = kept.cell;
  cell.status = CellStatus::ok;
  cell.graph = kept.graph;
  cell.counters = kept.counters;
  cell.records = kept.records;
  cell.launches.reserve(kept.launches.size());
  for (const KeptLaunch& of : kept.launches) {
    Launch& launch = cell.launches.emplace_back();
    launch.index = of.index;
    launch.submit_seconds = with_p50(of.submit_seconds);
    launch.latency_seconds = with_p50(of.latency_seconds);
    launch.device_seconds = with_p50(of.device_seconds);
    if (!std::isnan(of.steps_per_second)) launch.throughput_steps_per_second = of.steps_per_second;
    launch.setup = with_cost(of.cost_seconds);
    if (!std::isnan(of.startup_seconds)) launch.startup.emplace().warmup_seconds = of.startup_seconds;
    for (const double cost : of.cost_of_setups_seconds) launch.setups.push_back(with_cost(cost));
    launch.within.emplace();  // a document has too few samples: nothing follows from them
  }
  return cell;
}

void SummaryChecker::add(std::string place, const std::string& id, const CellResult& cell, bool is_ladder) {
  std::vector<Kept>* cells = nullptr;
  Kept kept;
  if (cell.status == CellStatus::skipped && cell.reason && cell.reason->code == "interrupted") {
    cells = &interrupted_;
  } else if (cell.status == CellStatus::ok) {
    cells = !is_ladder && id == id_of(cell.cell) ? &whole_ : &apart_;
    kept = kept_of(cell);
    kept.launches_counted = is_ladder ? std::numeric_limits<std::int64_t>::max() : std::ssize(cell.launches);
  }
  if (cells == nullptr) return;
  kept.place = std::move(place);
  kept.id = id;
  cells->push_back(std::move(kept));
}

void SummaryChecker::check_complete(const Result& head, JsonWalk& walk) const {
  constexpr const char* remedy = "but the document says \"complete\": true: measure again";
  for (const Kept& at : interrupted_)
    fail_at(walk, at.id, at.place + ".reason", std::string("the cell was interrupted, ") + remedy);
  // A run with --until-decided gives no more launches to a task that a look has decided.
  const std::vector<std::int64_t> looks =
      head.plan.interleaved ? head.plan.interleaved->looks : std::vector<std::int64_t>();
  for (const std::vector<Kept>* cells : {&whole_, &apart_}) {
    for (const Kept& at : *cells) {
      if (at.launches_counted >= head.plan.launches || contains(looks, at.launches_counted)) continue;
      fail_at(walk, at.id, at.place + ".launches",
              "the cell has " + std::to_string(at.launches_counted) + " of the plan's " +
                  std::to_string(head.plan.launches) + " launches, " + remedy);
    }
  }
}

void SummaryChecker::check_group(const std::vector<const Kept*>& group, const Result& head,
                                 JsonWalk& walk) const {
  std::vector<CellResult> made;
  made.reserve(group.size());
  for (const Kept* at : group) made.push_back(cell_of(*at));
  summarize_cells(made);
  if (head.environment.floors) add_submit_over_floor(*head.environment.floors, made);
  add_launch_bound(head.environment.device.kind, made);
  for (std::size_t i = 0; i < made.size(); ++i) {
    CellSummary said = group[i]->summary;
    // A merged document has the floors of its first shard alone. Of a foreign step, earlier versions counted
    // the launches otherwise.
    if (!head.shards.empty() || made[i].cell.preset == of_its_own) said.submit_over_floor.reset();
    // Earlier versions took the difference between processes for one between a process's setups.
    if (!made[i].summary.setup_once_seconds) said.setup_once_seconds.reset();
    if (head.plan.gains != gain_formulas) said = without_gains(said);
    compare(*group[i], said, made[i].summary, walk);
  }
}

void SummaryChecker::check(const Result& head, bool says_complete, JsonWalk& walk) {
  if (says_complete) check_complete(head, walk);
  for (const Kept& at : apart_) {
    std::vector<CellResult> alone = {cell_of(at)};
    summarize_cells(alone);
    compare(at, medians_of(at.summary), medians_of(alone.front().summary), walk);
  }
  // A cell's eager cell and the other batches of its task are in its group.
  std::vector<std::vector<const Kept*>> groups;  // in the document's order, so that the first fault is named
  std::map<std::string, std::size_t> places;
  for (const Kept& at : whole_) {
    const auto place = places.emplace(group_of(at.cell), groups.size());
    if (place.second) groups.emplace_back();
    groups[place.first->second].push_back(&at);
  }
  for (const std::vector<const Kept*>& group : groups) check_group(group, head, walk);
}

void SummaryChecker::compare(const Kept& at, const CellSummary& said, const CellSummary& made,
                             JsonWalk& walk) {
  const JsonWriter writer(Form::document);
  std::string place = at.place + ".summary";
  const std::string fault = contradiction(writer.write(said), writer.write(made), place);
  if (!fault.empty()) fail_at(walk, at.id, place, fault);
}

}  // namespace graphbench::model
