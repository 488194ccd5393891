// Writes the comparison as JSON in the order of its schema. Each cell is one line, for readable diffs.
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "harness/judge/report/formats.hpp"
#include "harness/model/codec/json_writer.hpp"

namespace graphbench::codec {

GB_DESCRIBE(model::ComparisonSide, source, documents, complete,
            (group("tool", text_field("version", &T::tool_version), text_field("commit", &T::tool_commit))),
            (text, started_at), (text, device_kind), (text, device_name), (text, driver), (text, fingerprint),
            (text, plan_hash), cells,
            (group("launches", field("min", &T::launches_min), field("max", &T::launches_max))));
GB_DESCRIBE(model::Difference, field, (text, base), (text_field("new", &T::now)), blocking, allowed);
GB_DESCRIBE(model::ComparisonCounts,
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

}  // namespace graphbench::codec

namespace graphbench::reporters {
namespace {

using codec::dump;
using codec::Json;

Json settings_of(const model::ComparisonSettings& settings) {
  Json margins;
  Json floors;
  Json power;
  if (settings.require_power) power["cell_latency"] = *settings.require_power;
  for (const model::Metric metric : model::mean_metrics) {
    if (settings.of(metric).require_power) power[name_of(metric)] = *settings.of(metric).require_power;
  }
  for (const model::Metric metric : model::tested_metrics()) {
    margins[name_of(metric)] = settings.of(metric).margin;
    floors[name_of(metric)] = settings.of(metric).floor_seconds;
  }
  Json written = {{"alpha", settings.alpha},
                  {"margin", margins},
                  {"floor_seconds", floors},
                  {"strict", settings.strict},
                  {"allow", settings.allow}};
  if (settings.common) written["common"] = true;
  if (!power.is_null()) written["require_power"] = power;
  return written;
}

// Cells are formatted one by one, because a JSON tree of all cells would be large.
using Buffer = fmt::memory_buffer;

template <typename... Arguments>
void add(Buffer& to, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(to), format, std::forward<Arguments>(arguments)...);
}

void add_string(Buffer& to, const std::string& value) {
  add(to, "{}", dump(value));
}

// Writes nine significant digits, because further digits depend on the machine. Adds ".0" to an integer, so
// that parsers read the number as a real number.
void add_number(Buffer& to, const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return add(to, "null");
  const std::string text = fmt::format("{:.9g}", *value);
  add(to, "{}{}", text, text.find_first_of(".e") == std::string::npos ? ".0" : "");
}

void add_metric(Buffer& to, const model::MetricComparison& metric, const std::string& before = "") {
  add(to, R"({{{}"metric":"{}","verdict":"{}","base_seconds":)", before, name_of(metric.metric),
      name_of(metric.verdict));
  add_number(to, metric.base_seconds);
  add(to, R"(,"new_seconds":)");
  add_number(to, metric.new_seconds);
  add(to, R"(,"ratio":)");
  add_number(to, metric.ratio);
  if (metric.ratio_ci95_low && metric.ratio_ci95_high) {
    add(to, R"(,"ratio_ci95":[)");
    add_number(to, metric.ratio_ci95_low);
    add(to, ",");
    add_number(to, metric.ratio_ci95_high);
    add(to, "]");
  } else {
    add(to, R"(,"ratio_ci95":null)");
  }
  for (const auto& [name, value] : {std::pair("spread", metric.spread),
                                    {"freedom", metric.freedom},
                                    {"p", metric.p},
                                    {"q", metric.q},
                                    {"family_p", metric.family_p},
                                    {"family_q", metric.family_q},
                                    {"detectable", metric.detectable},
                                    {"detectable90", metric.detectable90},
                                    {"margin", metric.margin}}) {
    add(to, R"(,"{}":)", name);
    add_number(to, value);
  }
  add(to, R"(,"base_launches":{},"new_launches":{},"paired":{})", metric.base_launches, metric.new_launches,
      metric.paired);
  if (!metric.why.empty()) {
    add(to, R"(,"why":)");
    add_string(to, metric.why);
  }
  add(to, "}}");
}

template <typename Item, typename Add>
void add_list(Buffer& to, const char* key, const std::vector<Item>& items, const Add& add_item) {
  if (items.empty()) return;
  add(to, R"(,"{}":[)", key);
  for (const Item& item : items) {
    if (&item != items.data()) add(to, ",");
    add_item(item);
  }
  add(to, "]");
}

void add_names(Buffer& to, const char* key, const std::vector<model::Metric>& metrics) {
  add_list(to, key, metrics, [&](model::Metric metric) { add(to, R"("{}")", name_of(metric)); });
}

void add_listed(Buffer& to, const std::vector<model::ListedMetric>& listed) {
  add_list(to, "listed", listed, [&](const model::ListedMetric& each) {
    add(to, R"({{"metric":"{}","base":)", name_of(each.metric));
    add_number(to, each.base > 0 ? std::optional(each.base) : std::nullopt);
    add(to, R"(,"new":)");
    add_number(to, each.now > 0 ? std::optional(each.now) : std::nullopt);
    add(to, "}}");
  });
}

void add_changes(Buffer& to, const std::vector<model::Change>& changes) {
  add_list(to, "changed", changes, [&](const model::Change& change) {
    const bool is_text = change.name == "paths";
    add(to, R"({{"name":"{}","verdict":"changed","base":{},"new":{}}})", change.name,
        is_text ? dump(change.base) : change.base, is_text ? dump(change.now) : change.now);
  });
}

void add_cell(Buffer& to, const model::CellComparison& cell) {
  add(to, R"({{"id":)");
  add_string(to, cell.id);
  add(to, R"(,"family":)");
  add_string(to, cell.family);
  add(to, R"(,"coverage":"{}","regression":{})", name_of(cell.coverage), cell.regression);
  if (!cell.reason.empty()) {
    add(to, R"(,"reason":)");
    add_string(to, cell.reason);
  }
  add(to, R"(,"metrics":[)");
  const char* separator = "";
  for (const model::MetricComparison& metric : cell.metrics) {
    add(to, "{}", separator);
    add_metric(to, metric);
    separator = ",";
  }
  add(to, "]");
  add_names(to, "lost", cell.lost);
  add_names(to, "gained", cell.gained);
  add_listed(to, cell.listed);
  add_changes(to, cell.changed);
  if (cell.base_throttle != cell.new_throttle) {
    add(to, R"(,"throttle":{{"base":{},"new":{}}})", dump(cell.base_throttle), dump(cell.new_throttle));
  }
  add(to, "}}");
}

void add_mean(Buffer& to, const model::MeanComparison& mean) {
  std::string before = fmt::format(R"("mode":{},"cells":{},)", dump(mean.mode), mean.cells);
  if (mean.spread_p) {
    Buffer steadiness;
    add(steadiness, R"("steadiness":{{"verdict":"{}","base_spread":)",
        mean.less_steady ? model::less_steady_word : "as steady");
    add_number(steadiness, mean.base_spread);
    add(steadiness, R"(,"new_spread":)");
    add_number(steadiness, mean.new_spread);
    add(steadiness, R"(,"p":)");
    add_number(steadiness, mean.spread_p);
    add(steadiness, "}},");
    before.append(steadiness.data(), steadiness.size());
  }
  add_metric(to, mean.metric, before);
}

void add_odd_launch(Buffer& to, const model::OddLaunch& odd) {
  add(to, R"({{"side":"{}","document":{},"launch":{},"metric":"{}","cells":{},"ratio":)",
      odd.in_new ? "new" : "base", odd.document, odd.launch, name_of(odd.metric), odd.cells);
  add_number(to, odd.ratio);
  add(to, R"(,"p":)");
  add_number(to, odd.p);
  add(to, "}}");
}

template <typename Item, typename Add>
void write_lines(std::ostream& out, const char* key, const std::vector<Item>& items, const Add& add_item) {
  out << ",\n  \"" << key << "\": [";
  for (const Item& item : items) {
    Buffer text;
    add_item(text, item);
    out << (&item == items.data() ? "\n    " : ",\n    ") << std::string_view(text.data(), text.size());
  }
  out << (items.empty() ? "]" : "\n  ]");
}

}  // namespace

void print_comparison_json(std::ostream& out, const model::Comparison& comparison) {
  const codec::JsonWriter writer(codec::Form::document);
  Json counts = {{"tests", comparison.tests}, {"families", comparison.families}};
  counts.update(writer.write(comparison.counts));
  const Json head = {
      {"schema", "graphbench.comparison/1"},
      {"comparable", comparison.comparable},
      {"passed", passed(comparison)},
      {"decided", decided(comparison)},
      {"verdict", comparison.comparable ? Json(name_of(comparison.verdict)) : Json(nullptr)},
      {"headline", comparison.headline},
      {"base", writer.write(comparison.base)},
      {"new", writer.write(comparison.now)},
      {"settings", settings_of(comparison.settings)},
      {"slowdown_found", comparison.slowdown_found ? Json(*comparison.slowdown_found) : Json(nullptr)},
      {"differences", writer.write(comparison.differences)},
      {"counts", counts}};
  std::string opening = dump(head, 2);
  opening.resize(opening.size() - 2);  // removes the closing "\n}"
  out << opening;
  write_lines(out, "means", comparison.means, add_mean);
  write_lines(out, "odd_launches", comparison.odd_launches, add_odd_launch);
  write_lines(out, "cells", comparison.cells, add_cell);
  out << "\n}\n";
}

}  // namespace graphbench::reporters
