// The JSON form of comparisons: `graphbench.comparison/1`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/codec/json_reader.hpp"
#include "harness/model/codec/json_writer.hpp"
#include "harness/model/comparison.hpp"

namespace graphbench::model {

// The names of the first `count` values of an enum, as name_of() knows them: metrics are rows of a table.
template <typename E>
std::vector<std::string> first_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(name_of(static_cast<E>(i)));
  return names;
}
template <>
struct Names<Metric> {
  inline static const auto names = first_names<Metric>(all_metrics().size());
};
template <>
struct Names<Verdict> {
  inline static const auto names = first_names<Verdict>(verdict_counts.size());
};
template <>
struct Names<Coverage> {
  inline static const auto names = first_names<Coverage>(coverage_counts.size());
};

GB_DESCRIBE(ComparisonSide, source, documents, complete,
            (group("tool", text_field("version", &T::tool_version), text_field("commit", &T::tool_commit))),
            (text, started_at), (text, device_kind), (text, device_name), (text, driver), (text, fingerprint),
            (text, plan_hash), cells,
            (group("launches", field("min", &T::launches_min), field("max", &T::launches_max))));
GB_DESCRIBE(Difference, field, (text, base), (text_field("new", &T::now)), blocking, allowed);
GB_DESCRIBE(ComparisonCounts,
            (group("metrics", field("slower", &T::slower), field("faster", &T::faster),
                   field("inconclusive", &T::inconclusive), field("same", &T::same),
                   field("lost", &T::metrics_lost), field("gained", &T::metrics_gained),
                   field("changed", &T::changed))),
            (group("cells", field("compared", &T::compared), field("base_only", &T::base_only),
                   field("new_only", &T::new_only), field("failed_now", &T::failed_now),
                   field("skipped_now", &T::skipped_now), field("recovered", &T::recovered),
                   field("neither", &T::neither), field("coverage_regressions", &T::coverage_regressions),
                   field("changed", &T::cells_changed))),
            (group("means", field("slower", &T::means_slower), field("faster", &T::means_faster),
                   field("inconclusive", &T::means_inconclusive), field("same", &T::means_same),
                   field("less_steady", &T::means_less_steady))),
            (left_out, cells_lacking));

struct ThrottleField {
  static std::optional<Json> write(const CellComparison& cell);
  static void read(JsonWalk& walk, JsonWalk::Value value, CellComparison& cell);
};
struct SteadinessField {
  static constexpr std::string_view numbers[] = {"base_spread", "new_spread", "p"};
  static std::optional<Json> write(const MeanComparison& mean);
  static void read(JsonWalk& walk, JsonWalk::Value value, MeanComparison& mean);
};
struct ChangedField {
  static std::optional<Json> write(const Change&) { return "changed"; }
};
// A number, or the text of paths.
template <auto Side>
struct CountOrPaths {
  static constexpr std::string_view numbers[] = {""};
  static std::optional<Json> write(const Change& change) {
    return change.name == "paths" ? Json(change.*Side) : Json::parse(change.*Side);
  }
  static void read(JsonWalk& walk, JsonWalk::Value value, Change& change) {
    change.*Side = change.name == "paths" ? walk.text(value) : std::to_string(walk.integer(value));
  }
};
template <class Found>
struct SideField {
  static std::optional<Json> write(const Found& found) { return found.in_new ? "new" : "base"; }
  static void read(JsonWalk& walk, JsonWalk::Value value, Found& found) {
    found.in_new = walk.text(value) == "new";
  }
};

GB_DESCRIBE(MetricComparison, metric, verdict, base_seconds, new_seconds, ratio,
            (interval("ratio_ci95", &T::ratio_ci95_low, &T::ratio_ci95_high)), spread, freedom, p, q,
            family_p, family_q, detectable, detectable90, margin, base_launches, new_launches, paired,
            (later, why), (left_out, floor_seconds));
GB_DESCRIBE(MeanComparison, mode, cells, (custom_field<SteadinessField>("steadiness", 4)),
            (inlined(&T::metric)));
GB_DESCRIBE(OddLaunch, (custom_field<SideField<OddLaunch>>("side")), document, launch, metric, cells, ratio,
            p);
GB_DESCRIBE(TwoStates, (custom_field<SideField<TwoStates>>("side")), metric, slower, launches, ratio, p);
GB_DESCRIBE(ListedMetric, metric, base, (field("new", &T::now)));
GB_DESCRIBE(Change, name, (computed_field<ChangedField>("verdict")),
            (custom_field<CountOrPaths<&Change::base>>("base")),
            (custom_field<CountOrPaths<&Change::now>>("new")));
GB_DESCRIBE(CellComparison, id, family, coverage, regression, (later, reason), metrics, (later, lost),
            (later, gained), (later, listed), (later, changed), (custom_field<ThrottleField>("throttle", 2)));

struct PassedField {
  static std::optional<Json> write(const Comparison& comparison) { return passed(comparison); }
};
struct OutcomeField {
  static std::optional<Json> write(const Comparison& comparison) { return name_of(outcome_of(comparison)); }
};
struct DecidedField {
  static std::optional<Json> write(const Comparison& comparison) { return decided(comparison); }
};
struct VerdictField {  // null without a comparison
  static std::optional<Json> write(const Comparison& comparison);
  static void read(JsonWalk& walk, JsonWalk::Value value, Comparison& comparison);
};
struct SettingsField {
  static constexpr std::string_view numbers[] = {"alpha", "margin.NAME", "floor_seconds.NAME",
                                                 "require_power.NAME"};
  static std::optional<Json> write(const Comparison& comparison);
  static void read(JsonWalk& walk, JsonWalk::Value value, Comparison& comparison);
};
struct CountsField {
  using Holds = ComparisonCounts;
  static constexpr std::string_view numbers[] = {"tests", "families"};
  static std::optional<Json> write(const Comparison& comparison);
  static void read(JsonWalk& walk, JsonWalk::Value value, Comparison& comparison);
};

// A document has the four lists too, with one line for each element (print_comparison_json()).
GB_DESCRIBE(Comparison, comparable, (computed_field<PassedField>("passed")),
            (computed_field<OutcomeField>("outcome")), (computed_field<DecidedField>("decided")),
            (custom_field<VerdictField>("verdict")), headline, base, (field("new", &T::now)),
            (custom_field<SettingsField>("settings")), slowdown_found, differences,
            (custom_field<CountsField>("counts", 3)), (message, means), (message, odd_launches),
            (message, two_states), (message, cells));

}  // namespace graphbench::model
