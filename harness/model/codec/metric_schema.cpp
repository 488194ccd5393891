// One property a row; what is in no table stays as it is.
#include "harness/model/codec/metric_schema.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "harness/model/axes.hpp"
#include "harness/model/metrics.hpp"

namespace graphbench::codec {
namespace {

using Json = nlohmann::ordered_json;
using model::MetricRow;
using model::MetricSection;

Json reference(const char* name) {
  return {{"$ref", std::string("#/$defs/") + name}};
}

struct TypeOf {
  const MetricRow& row;

  Json operator()(std::optional<model::Summary> model::Launch::*) const { return reference("summary"); }
  Json operator()(std::optional<model::Summary> model::Sustained::*) const { return reference("summary"); }
  Json operator()(double model::Setup::*) const { return reference("seconds_or_null"); }
  Json operator()(std::optional<double> model::Setup::*) const { return reference("seconds_or_null"); }
  Json operator()(std::int64_t model::GraphCounts::*) const { return reference("count"); }
  Json operator()(std::int64_t model::Io::*) const { return reference("count"); }
  Json operator()(double model::Io::*) const { return {{"type", "number"}, {"minimum", 0}}; }
  Json operator()(std::int64_t model::Counters::*) const { return reference("count"); }
  Json operator()(std::int64_t facts::TrainingFacts::*) const { return reference("count"); }
  Json operator()(std::optional<std::int64_t> facts::TrainingFacts::*) const { return reference("count"); }
  Json operator()(std::optional<std::int64_t> model::Training::*) const { return reference("count"); }
  Json operator()(std::int64_t model::CacheUse::*) const { return reference("count"); }
  Json operator()(double model::CacheUse::*) const { return {{"type", "number"}, {"minimum", 0}}; }
  Json operator()(std::int64_t model::PackageUse::*) const { return reference("count"); }
  Json operator()(double model::PackageUse::*) const { return {{"type", "number"}, {"minimum", 0}}; }
  Json operator()(std::int64_t model::Memory::*) const { return reference("count"); }
  // Differences of readings may be negative.
  Json operator()(std::optional<std::int64_t> model::Memory::*) const {
    return {{"type", {"integer", "null"}}};
  }
  Json operator()(std::optional<std::int64_t> model::CellSummary::*) const {
    return {{"type", {"integer", "null"}}, {"minimum", 0}};
  }
  // Counts may be 0; times, ratios and rates may not.
  template <typename Real>
  Json operator()(Real) const {
    const bool count = row.kind == model::MetricKind::count;
    return {{"type", {"number", "null"}}, {count ? "minimum" : "exclusiveMinimum", 0}};
  }
};

Json described(const MetricRow& row, Json type) {
  Json property = {{"description", row.help}};
  property.update(std::move(type));
  return property;
}

// Puts the properties of the section into `object`, in the table's order, ahead of the place of the first
// that was there; other properties stay.
void replace(Json& object, const std::vector<std::pair<const MetricRow*, Json>>& rows) {
  const auto row_named = [&](const std::string& name) {
    return std::ranges::find_if(rows, [&](const auto& each) { return each.first->name == name; });
  };
  Json properties = Json::object();
  bool added = false;
  const auto add_all = [&] {
    if (std::exchange(added, true)) return;
    for (const auto& [row, type] : rows) properties[std::string(row->name)] = described(*row, type);
  };
  for (const auto& [name, property] : object["properties"].items()) {
    if (row_named(name) == rows.end()) {
      properties[name] = property;
    } else {
      add_all();
    }
  }
  add_all();
  object["properties"] = properties;
  Json required = Json::array();
  for (const auto& [name, property] : properties.items()) {
    const auto row = row_named(name);
    const auto& before = object["required"];
    const bool other = row == rows.end() && std::ranges::find(before, Json(name)) != before.end();
    const bool always = row != rows.end() && !row->first->left_out && !row->first->addition;
    if (other || always) required.push_back(name);
  }
  object["required"] = required;
}

std::vector<std::pair<const MetricRow*, Json>> rows_in(MetricSection section) {
  std::vector<std::pair<const MetricRow*, Json>> rows;
  for (const MetricRow& row : model::metrics()) {
    if (section == MetricSection::summary && row.estimate != nullptr)
      rows.emplace_back(&row, reference("estimate"));
  }
  for (const MetricRow* row : model::metrics_in(section))
    rows.emplace_back(row, std::visit(TypeOf{*row}, row->value));
  return rows;
}

// A cell has a later axis only away from its default; a plan has it where any of its values is.
void add_later_axes(Json& definitions) {
  for (const model::Axis& axis : model::axes()) {
    if (!axis.came_later()) continue;
    Json value = axis.choices.empty() ? Json({{"type", "string"}}) : Json({{"enum", axis.choices}});
    definitions["plan"]["properties"]["axes"]["properties"][axis.name] = {
        {"type", "array"}, {"minItems", 1}, {"uniqueItems", true}, {"items", value}};
    value["not"] = {{"const", axis.fallback}};
    definitions["cell"]["properties"][axis.name] = std::move(value);
  }
}

}  // namespace

Json with_tables(Json schema) {
  Json& definitions = schema["$defs"];
  replace(definitions["launch"]["properties"]["setup"], rows_in(MetricSection::setup));
  replace(definitions["launch"], rows_in(MetricSection::launch));
  replace(definitions["sustained"], rows_in(MetricSection::sustained));
  replace(definitions["cell"]["properties"]["graph"], rows_in(MetricSection::graph));
  replace(definitions["io"], rows_in(MetricSection::io));
  replace(definitions["counters"], rows_in(MetricSection::counters));
  replace(definitions["training"], rows_in(MetricSection::training));
  replace(definitions["cache"], rows_in(MetricSection::cache));
  replace(definitions["cell"]["properties"]["memory"], rows_in(MetricSection::memory));
  replace(definitions["cell_summary"], rows_in(MetricSection::summary));
  add_later_axes(definitions);
  return schema;
}

}  // namespace graphbench::codec
