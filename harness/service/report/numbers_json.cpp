// Writes numbers with all digits, so that the page draws what CSV lists.
#include "harness/service/report/numbers_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/sweep/report/result_report.hpp"

namespace graphbench::service {
namespace {

using nlohmann::json;
using reporters::Report;
using reporters::Section;
using reporters::Sentence;
using reporters::Value;

constexpr std::size_t rows_max = 200;

std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string quoted(const std::string& text) {
  return dumped(json(text));
}

// Each part of a number by its name, as JSON; empty: absent.
std::array<std::pair<const char*, std::string>, 5> parts_of(const Value& value) {
  const auto number = [](const std::optional<double>& part) {
    return part && std::isfinite(*part) ? shortest_text(*part) : "";
  };
  const bool has_range = !value.range.empty() && value.range != "-";
  return {{{"text", quoted(value.text)},
           {"value", number(value.value)},
           {"low", number(value.low)},
           {"high", number(value.high)},
           {"range", has_range ? quoted(value.range) : ""}}};
}

std::string object_of(const Value& value) {
  std::string text = "{";
  for (const auto& [name, part] : parts_of(value)) {
    if (part.empty()) continue;
    text += text.size() == 1 ? "\"" : ",\"";
    text += std::string(name) + "\":" + part;
  }
  return text + "}";
}

json texts_of(const std::vector<Sentence>& sentences) {
  json list = json::array();
  for (const Sentence& each : sentences)
    list.push_back((each.lead.empty() ? "" : each.lead + ": ") + each.text);
  return list;
}

// What a console leaves out for want of use, a page leaves out too.
json listed(const Section& section) {
  json columns = json::array();
  for (const reporters::Column& column : section.columns)
    columns.push_back({{"name", column.name}, {"number", column.align == reporters::Align::right}});
  const std::size_t count = section.rows_max == 0 ? 0 : std::min(section.rows.size(), rows_max);
  json rows = json::array();
  for (std::size_t i = 0; i < count; ++i) {
    const reporters::Row& row = section.rows[i];
    json values = json::array();
    for (const Value& value : row.values) values.push_back(json_of(value));
    rows.push_back({{"values", std::move(values)}, {"verdict", row.verdict}, {"note", row.note}});
  }
  return {{"title", section.subject + section.detail},
          {"columns", std::move(columns)},
          {"rows", std::move(rows)},
          {"more", section.rows.size() - count},
          {"sentences", texts_of(section.sentences)}};
}

}  // namespace

json json_of(const Value& value) {
  return json::parse(object_of(value));
}

std::string list_of(const Value& value) {
  std::string text = "[";
  std::string absent;
  for (const auto& [name, part] : parts_of(value)) {
    const std::string separator = text.size() == 1 ? "" : ",";
    if (part.empty()) {
      absent += separator + "null";
    } else {
      text += std::exchange(absent, "") + separator + part;
    }
  }
  return text + "]";
}

json json_of(const Report& report) {
  json sections = json::array();
  for (const Section& section : report.sections) {
    if (!section.rows.empty() || !section.sentences.empty()) sections.push_back(listed(section));
  }
  json facts = json::object();
  for (const auto& [name, text] : report.facts) facts[name] = text;
  return {{"title", report.title.text},
          {"facts", std::move(facts)},
          {"head", texts_of(report.head)},
          {"sections", std::move(sections)},
          {"closing", texts_of(report.closing)}};
}

std::string reference_elsewhere(const model::Cell& cell) {
  const model::Cell reference = model::reference_of(cell);
  return reference.more_axes == cell.more_axes ? "" : model::id_of(reference);
}

std::string with_row(std::string line, const std::string& source) {
  const model::CellResult cell = model::read_cell(line, source);
  if (const std::string reference = reference_elsewhere(cell.cell); !reference.empty()) {
    line.resize(line.find_last_of('}'));
    line += ", \"reference\": " + quoted(reference) + "}";
  }
  if (cell.status != model::CellStatus::ok) return line;
  std::string row;
  for (const model::MetricRow* metric : sweep::page_metrics()) {
    const Value value = sweep::number_of(*metric, cell);
    if (!value.value && value.text == "-") continue;
    row += (row.empty() ? "" : ",") + quoted(model::path_of(*metric)) + ":" + object_of(value);
  }
  line.resize(line.find_last_of('}'));
  return line + ", \"row\": {" + row + "}}";
}

}  // namespace graphbench::service
