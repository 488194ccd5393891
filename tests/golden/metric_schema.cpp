// Writes the schema's properties of metrics, axes, modes and settings, one per row. Keeps properties that no
// table has.
#include "tests/golden/metric_schema.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/codec/result_fields.hpp"
#include "harness/model/metric_value.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/options/option_table.hpp"

namespace graphbench::model {
namespace {

using Json = nlohmann::ordered_json;

Json reference(const char* name) {
  return {{"$ref", std::string("#/$defs/") + name}};
}

template <typename T, typename Member>
Json type_of(const Field<T, Member>& field, const MetricRow& row) {
  if constexpr (std::is_same_v<Member, std::optional<Summary>>) {
    return reference("summary");
  } else if constexpr (std::is_same_v<Member, std::optional<Estimate>>) {
    return reference("estimate");
  } else if constexpr (std::is_same_v<T, Setup>) {
    return reference("seconds_or_null");
  } else if constexpr (std::is_same_v<Member, std::int64_t>) {
    return reference("count");
  } else if constexpr (std::is_same_v<Member, double>) {
    return {{"type", "number"}, {"minimum", 0}};
  } else if constexpr (std::is_same_v<Member, std::optional<std::int64_t>>) {
    if (field.when == When::not_default) return reference("count");
    Json type = {{"type", {"integer", "null"}}};
    // Memory values are differences of two readings, so they may be negative.
    if (!std::is_same_v<T, Memory>) type["minimum"] = 0;
    return type;
  } else if constexpr (std::is_same_v<Member, std::optional<double>>) {
    // Counts, dates and shares may be 0; times, ratios and rates may not.
    const bool share = row.kind == MetricKind::share;
    const bool zero = share || row.kind == MetricKind::count || row.kind == MetricKind::date;
    Json type = {{"type", {"number", "null"}}};
    type[zero ? "minimum" : "exclusiveMinimum"] = 0;
    if (share) type["maximum"] = 1;
    return type;
  } else {
    return {};
  }
}

Json described(const MetricRow& row, Json type) {
  Json property = {{"description", row.help}};
  property.update(std::move(type));
  return property;
}

// Replaces the properties that `rows` name, at the place of the first old one. Keeps the other properties.
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
    const bool other = row == rows.end() && contains(before, Json(name));
    const bool always = row != rows.end() && !row->first->added_later;
    if (other || always) required.push_back(name);
  }
  object["required"] = required;
}

using Rows = std::vector<std::pair<const MetricRow*, Json>>;

template <typename T>
void add_rows(Rows& rows);

template <typename T, typename Other>
void add_row(const Other&, Rows&) {}

template <typename T, typename Member>
void add_row(const Field<T, Member>& field, Rows& rows) {
  constexpr bool is_estimate = std::is_same_v<Member, std::optional<Estimate>>;
  for (const MetricRow& row : metrics()) {
    const bool is_its = is_estimate ? row.estimate != nullptr : section_of(row) == Place<T>::section;
    if (is_its && row.name == field.key) rows.emplace_back(&row, type_of(field, row));
  }
}

template <typename T, typename Member>
void add_row(const Inlined<T, Member>&, Rows& rows) {
  add_rows<Member>(rows);
}

template <typename T>
void add_rows(Rows& rows) {
  std::apply([&](const auto&... each) { (add_row<T>(each, rows), ...); }, Description<T>::fields);
}

template <typename T>
Rows rows_of() {
  Rows rows;
  add_rows<T>(rows);
  return rows;
}

// A cell has a later axis's key only if its value is not the default; a plan, if any of its values is not.
void add_later_axes(Json& definitions) {
  for (const Axis& axis : axes()) {
    if (!axis.came_later()) continue;
    Json value = axis.choices.empty() ? Json({{"type", "string"}}) : Json({{"enum", axis.choices}});
    definitions["axes"]["properties"][axis.name] = {
        {"type", "array"}, {"minItems", 1}, {"uniqueItems", true}, {"items", value}};
    value["not"] = {{"const", axis.fallback}};
    definitions["cell"]["properties"][axis.name] = std::move(value);
  }
}

// The plan's settings are the options away from their defaults. Keeps the form of values that are free.
void add_settings(Json& settings) {
  Json properties = Json::object();
  for (const options::OptionSpec& option : options::sweep_options()) {
    if (option.in_hash != options::InHash::changed) continue;
    Json& property = properties[option.name] = settings["properties"].value(option.name, Json::object());
    if (option.kind == options::OptionKind::flag) property = {{"enum", {"on"}}};
    if (!option.choices.empty())
      property = {{"enum", std::vector(option.choices.begin() + 1, option.choices.end())}};
  }
  settings["properties"] = std::move(properties);
}

// Puts the modes into a pattern that has alternatives like "(eager|whole|[a-z]...)".
void set_modes(Json& pattern) {
  std::string text = pattern.get<std::string>();
  const std::size_t begin = text.find("(" + modes().front().name + "|") + 1;
  text.replace(begin, text.find("|[", begin) - begin, join(names_of(modes()), "|"));
  pattern = std::move(text);
}

}  // namespace

Json with_tables(Json schema) {
  Json& definitions = schema["$defs"];
  replace(definitions["launch"]["properties"]["setup"], rows_of<Setup>());
  replace(definitions["launch"], rows_of<Launch>());
  replace(definitions["sustained"], rows_of<Sustained>());
  replace(definitions["launch"]["properties"]["ranks"], rows_of<RankTimes>());
  replace(definitions["cell"]["properties"]["graph"], rows_of<facts::GraphCounts>());
  replace(definitions["io"], rows_of<facts::Io>());
  replace(definitions["counters"], rows_of<Counters>());
  replace(definitions["training"], rows_of<Training>());
  replace(definitions["cache"], rows_of<facts::CacheUse>());
  replace(definitions["cell"]["properties"]["memory"], rows_of<Memory>());
  replace(definitions["cell_summary"], rows_of<CellSummary>());
  add_later_axes(definitions);
  add_settings(definitions["plan"]["properties"]["caller"]);
  set_modes(definitions["mode"]["pattern"]);
  set_modes(definitions["cell"]["properties"]["id"]["pattern"]);
  return schema;
}

}  // namespace graphbench::model
