// Writes the comparison as JSON in the order of its schema. Each cell is one line, for readable diffs.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "harness/judge/report/comparison_fields.hpp"
#include "harness/judge/report/formats.hpp"
#include "harness/model/codec/documents.hpp"

namespace graphbench::model {

std::optional<Json> ThrottleField::write(const CellComparison& cell) {
  if (cell.base_throttle == cell.new_throttle) return std::nullopt;
  return Json{{"base", cell.base_throttle}, {"new", cell.new_throttle}};
}

void ThrottleField::read(JsonWalk& walk, JsonWalk::Value value, CellComparison& cell) {
  walk.each_field(value, [&](std::string_view key, JsonWalk::Value field) {
    if (key != "base" && key != "new") return walk.skip(field);
    JsonReader(walk).read(field, key == "base" ? cell.base_throttle : cell.new_throttle);
  });
}

std::optional<Json> SteadinessField::write(const MeanComparison& mean) {
  if (!mean.spread_p) return std::nullopt;
  const JsonWriter writer(Form::document);
  return Json{{"verdict", mean.less_steady ? less_steady_word : "as steady"},
              {"base_spread", writer.write(mean.base_spread)},
              {"new_spread", writer.write(mean.new_spread)},
              {"p", *mean.spread_p}};
}

void SteadinessField::read(JsonWalk& walk, JsonWalk::Value value, MeanComparison& mean) {
  walk.each_field(value, [&](std::string_view key, JsonWalk::Value field) {
    if (key == "verdict") {
      mean.less_steady = walk.text(field) == less_steady_word;
    } else if (key == "base_spread" || key == "new_spread" || key == "p") {
      JsonReader(walk).read(field, key == "p"             ? mean.spread_p
                                   : key == "base_spread" ? mean.base_spread
                                                          : mean.new_spread);
    } else {
      walk.skip(field);
    }
  });
}

std::optional<Json> VerdictField::write(const Comparison& comparison) {
  return comparison.comparable ? Json(name_of(comparison.verdict)) : Json(nullptr);
}

void VerdictField::read(JsonWalk& walk, JsonWalk::Value value, Comparison& comparison) {
  if (!walk.is_null(value)) JsonReader(walk).read(value, comparison.verdict);
}

std::optional<Json> CountsField::write(const Comparison& comparison) {
  Json counts = {{"tests", comparison.tests}, {"families", comparison.families}};
  counts.update(JsonWriter(Form::document).write(comparison.counts));
  return counts;
}

void CountsField::read(JsonWalk& walk, JsonWalk::Value value, Comparison& comparison) {
  walk.each_field(value, [&](std::string_view key, JsonWalk::Value field) {
    if (key == "tests" || key == "families") {
      JsonReader(walk).read(field, key == "tests" ? comparison.tests : comparison.families);
    } else {
      JsonReader(walk).read_field(key, field, comparison.counts);
    }
  });
}

std::optional<Json> SettingsField::write(const Comparison& comparison) {
  const ComparisonSettings& settings = comparison.settings;
  Json margins;
  Json floors;
  Json power;
  if (settings.require_power) power["cell_latency"] = *settings.require_power;
  for (const Metric metric : mean_metrics) {
    if (settings.of(metric).require_power) power[name_of(metric)] = *settings.of(metric).require_power;
  }
  for (const Metric metric : tested_metrics()) {
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

void SettingsField::read(JsonWalk& walk, JsonWalk::Value value, Comparison& comparison) {
  ComparisonSettings& settings = comparison.settings;
  JsonReader reader(walk);
  // An object with a number per metric. Leaves out what is not a metric of this version.
  const auto read_each = [&](JsonWalk::Value field, auto&& set) {
    std::map<std::string, double> numbers;
    reader.read(field, numbers);
    const auto& names = Names<Metric>::names;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (const auto given = numbers.find(names[i]); given != numbers.end())
        set(settings.metrics.at(i), given->second);
    }
    return numbers;
  };
  walk.each_field(value, [&](std::string_view key, JsonWalk::Value field) {
    if (key == "alpha") {
      reader.read(field, settings.alpha);
    } else if (key == "strict" || key == "common") {
      reader.read(field, key == "strict" ? settings.strict : settings.common);
    } else if (key == "allow") {
      reader.read(field, settings.allow);
    } else if (key == "margin") {
      read_each(field, [](MetricSettings& of, double number) { of.margin = number; });
    } else if (key == "floor_seconds") {
      read_each(field, [](MetricSettings& of, double number) { of.floor_seconds = number; });
    } else if (key == "require_power") {
      const auto given =
          read_each(field, [](MetricSettings& of, double number) { of.require_power = number; });
      if (given.contains("cell_latency")) settings.require_power = given.at("cell_latency");
    } else {
      walk.skip(field);
    }
  });
}

}  // namespace graphbench::model

namespace graphbench::judge {
namespace {

using model::Json;

// Appends the JSON with nine significant digits per number, because further digits depend on the machine.
// dump() would write more digits of some rounded numbers.
void add_rounded(std::string& text, const Json& json) {
  if (json.is_number_float()) {
    const std::string digits = fmt::format("{:.9g}", json.get<double>());
    text += digits + (digits.find_first_of(".e") == std::string::npos ? ".0" : "");
  } else if (json.is_structured()) {
    const char* separator = json.is_object() ? "{" : "[";
    if (json.empty()) text += separator;
    for (const auto& [key, value] : json.items()) {
      text += std::exchange(separator, ",");
      if (json.is_object()) text += model::dump(key) + ":";
      add_rounded(text, value);
    }
    text += json.is_object() ? "}" : "]";
  } else {
    text += model::dump(json);
  }
}

// Writes one line per item, one by one, because a JSON tree of all cells would be large.
template <typename Item>
void write_lines(std::ostream& out, const char* key, const std::vector<Item>& items) {
  out << ",\n  \"" << key << "\": [";
  for (const Item& item : items) {
    std::string text = &item == items.data() ? "\n    " : ",\n    ";
    add_rounded(text, model::JsonWriter(model::Form::document).write(item));
    out << text;
  }
  out << (items.empty() ? "]" : "\n  ]");
}

}  // namespace

void print_comparison_json(std::ostream& out, const model::Comparison& comparison) {
  std::string opening = model::document_of("graphbench.comparison/1",
                                           model::JsonWriter(model::Form::document).write(comparison));
  opening.resize(opening.size() - 2);  // removes the closing "\n}"
  out << opening;
  write_lines(out, "means", comparison.means);
  write_lines(out, "odd_launches", comparison.odd_launches);
  write_lines(out, "two_states", comparison.two_states);
  write_lines(out, "cells", comparison.cells);
  out << "\n}\n";
}

}  // namespace graphbench::judge
