// Reduces documents to the parts that a report shows, so that the report is small enough to send.
#include <algorithm>
#include <functional>
#include <utility>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/judge/compare/compare.hpp"
#include "harness/judge/history/history_fields.hpp"
#include "harness/judge/report/formats.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/model/metrics.hpp"
#include "harness/model/statistics/metric_values.hpp"
#include "harness/service/report/contents.hpp"
#include "harness/service/report/numbers_json.hpp"
#include "harness/sweep/report/result_report.hpp"

namespace graphbench::service {
namespace {

using model::CellResult;
using nlohmann::json;
using reporters::seconds_value;
using reporters::Value;
using OptionalNumber = std::optional<double>;

constexpr std::size_t message_bytes_max = 200;

std::optional<std::vector<model::Member>> members_of(const NamedText& document,
                                                     const model::PaddedText& text) try {
  return model::members_of(text.view());
} catch (const InputError& error) {  // it names the key alone
  throw InputError(document.source, error.what());
}

std::string schema_of(const NamedText& document) {
  const model::PaddedText text(document.text);
  const auto members = members_of(document, text);
  if (!members)
    throw InputError(document.source, "the file is not a JSON object: give a graphbench document");
  const auto found = std::ranges::find(*members, "schema", &model::Member::name);
  return found == members->end() ? "" : found->text;
}

// Checks the nesting first, because json's copies and dump() recurse once for each level.
json parsed(const NamedText& document) {
  model::check_json(document.text, document.source);
  json value = json::parse(document.text, nullptr, false);
  if (value.is_discarded()) throw InputError(document.source, "the file is not JSON");
  return value;
}

// Reads a document that a description covers. Refuses a document without the list `wanted`.
template <typename T>
T read_described(const NamedText& document, std::string_view wanted) {
  model::JsonWalk walk(document.source);
  T data{};
  bool complete = false;
  walk.document(document.text, [&](std::string_view key, model::JsonWalk::Value value) {
    complete |= key == wanted;
    model::JsonReader(walk).read_field(key, value, data);
  });
  if (!complete)
    throw InputError(document.source,
                     "not a complete graphbench document: it has no " + in_quotes(std::string(wanted)));
  return data;
}

model::Comparison read_comparison(const NamedText& document) {
  auto comparison = read_described<model::Comparison>(document, "cells");
  comparison.counts.cells_lacking =
      std::ranges::count_if(comparison.cells, [](const auto& cell) { return !cell.lost.empty(); });
  return comparison;
}

judge::CellHistory read_series(const NamedText& document) {
  auto series = read_described<judge::CellHistory>(document, "points");
  for (const judge::ChangePoint& change : series.changes) {
    if (change.index < 0 || change.index >= std::ssize(series.points))
      throw InputError(document.source, "not a complete graphbench document: changes[].index is " +
                                            std::to_string(change.index) + ", and there are " +
                                            std::to_string(series.points.size()) + " points");
  }
  return series;
}

struct NamedResult {
  const model::Result& result;
  const std::string& source;
};

model::Comparison comparison_of(const NamedResult& base, const NamedResult& now) {
  const auto side_of = [](const NamedResult& side) { return judge::side_of(side.result, side.source); };
  return judge::compare(side_of(base), side_of(now), {});
}

// A column of the report's rows: its name, and a cell's number or none.
struct Column {
  std::string name;
  std::function<std::optional<Value>(const CellResult&)> number;
};

std::optional<Value> seconds(const OptionalNumber& value) {
  return value ? std::optional(seconds_value(value)) : std::nullopt;
}

OptionalNumber submit_floor(const CellResult& cell) {
  const auto& submit = cell.summary.submit_seconds;
  const auto& multiple = cell.summary.submit_over_floor;
  return submit && multiple ? OptionalNumber(submit->p50 / *multiple) : std::nullopt;
}

std::vector<Column> all_columns() {
  std::vector<Column> columns;
  for (const model::MetricRow* row : sweep::page_metrics()) {
    columns.push_back({model::path_of(*row), [row](const CellResult& cell) {
                         std::optional<Value> value = sweep::number_of(*row, cell);
                         if (!value->value && value->text == "-") value.reset();
                         return value;
                       }});
  }
  columns.push_back({"submit_floor", [](const CellResult& cell) { return seconds(submit_floor(cell)); }});
  columns.push_back({"busy", [](const CellResult& cell) {
                       return cell.profile ? seconds(cell.profile->busy_seconds) : std::nullopt;
                     }});
  columns.push_back({"gaps", [](const CellResult& cell) {
                       return cell.profile ? seconds(cell.profile->gap_seconds) : std::nullopt;
                     }});
  return columns;
}

std::string json_text(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// The cell's id, its status, why it has no numbers or null, whether its outputs are eager's, and its numbers.
std::string row_of(const CellResult& cell, const std::vector<Column>& columns) {
  json reason;
  if (cell.reason)
    reason = {{"code", cell.reason->code},
              {"message", std::string(head_of(cell.reason->message, message_bytes_max))}};
  std::string row = "[" + json_text(model::id_of(cell.cell)) + "," + json_text(model::name_of(cell.status)) +
                    "," + json_text(reason) + "," + (!cell.check || cell.check->identical ? "true" : "false");
  if (cell.status != model::CellStatus::ok) return row + "]";
  std::string nothing;
  for (const Column& column : columns) {
    if (const std::optional<Value> value = column.number(cell)) {
      row += std::exchange(nothing, "") + "," + list_of(*value);
    } else {
      nothing += ",null";
    }
  }
  return row + "]";
}

json head_json(const model::Result& result) {
  json head = json::parse(model::head_to_json(result) + "]}");
  head.erase("cells");
  json plan;
  for (const char* key : {"argv", "launches"}) plan[key] = head["plan"].value(key, json());
  head["plan"] = std::move(plan);
  for (const char* list : {"conclusions", "notes"}) {
    if (!head.contains(list)) continue;  // the result of a ladder has no conclusions
    for (json& each : head[list]) {
      each.erase("cells");
      each.erase("figures");
    }
  }
  json& choices = head["environment"]["library_choices"];
  json pairs = json::array();
  if (choices.is_object()) {
    for (const json& each : choices.value("entries", json::array()))
      pairs.push_back({each.at("key"), each.at("algorithm")});
  }
  choices = std::move(pairs);
  return head;
}

std::string embedded_text_of(const model::Result& result, const json& lists) {
  json head = head_json(result);
  if (lists.is_object()) head.update(lists);
  std::vector<Column> columns = all_columns();
  std::erase_if(columns, [&](const Column& column) {
    return std::ranges::all_of(result.cells, [&](const CellResult& cell) { return !column.number(cell); });
  });
  head["columns"] = json::array();
  for (const Column& column : columns) head["columns"].push_back(column.name);
  head["memory"] = memory_of(result);
  head["references"] = json::object();
  for (const CellResult& cell : result.cells) {
    if (std::string id = reference_elsewhere(cell.cell); !id.empty())
      head["references"][model::id_of(cell.cell)] = std::move(id);
  }
  if (const auto& floors = result.environment.floors; floors && floors->completion_spin)
    head["one_kernel"] = json_of(seconds_value(floors->completion_spin->p50));
  std::string text = head.dump(-1, ' ', false, json::error_handler_t::replace);
  text.back() = ',';
  text += "\"rows\":[";
  const char* separator = "";
  for (const CellResult& cell : result.cells) text += std::exchange(separator, ",\n") + row_of(cell, columns);
  return text + "]}";
}

void add_document(const NamedText& document, Contents& contents, std::string& base) {
  const std::string schema = schema_of(document);
  const bool compared = contents.comparison.has_value();
  const bool is_bill = schema == "graphbench.bill/1";
  if ((schema == "graphbench.result/1" || is_bill) && !(contents.result && compared)) {
    model::Result result = model::read_result(document.text, document.source);
    if (contents.result)
      contents.comparison =
          judge::report_of(comparison_of({*contents.result, base}, {result, document.source}));
    contents.result = std::move(result);
    const bool has_ladders = document.text.find("\"traffic\"") != std::string::npos;
    contents.lists = is_bill       ? bills_in(parsed(document))
                     : has_ladders ? ladders_in(parsed(document))
                                   : json();
    base = document.source;
  } else if (schema == "graphbench.comparison/1" && !compared) {
    contents.comparison = judge::report_of(read_comparison(document));
  } else if (schema == "graphbench.series/1") {
    contents.series.push_back(judge::report_of(read_series(document)));
  } else {
    throw InputError(
        document.source,
        "a document with schema " + in_quotes(schema) +
            " does not fit into this report: give one result, or two (BASE and NEW), or one comparison "
            "(compare --format json); and any number of series (history show --format json)");
  }
}

}  // namespace

Contents read_contents(const std::vector<NamedText>& documents) {
  Contents contents;
  std::string base;
  for (const NamedText& document : documents) add_document(document, contents, base);
  return contents;
}

std::string to_json(const Contents& contents) {
  json series = json::array();
  for (const reporters::Report& each : contents.series) series.push_back(json_of(each));
  const std::string text =
      "{\"result\":" + (contents.result ? embedded_text_of(*contents.result, contents.lists) : "null") +
      ",\"comparison\":" + (contents.comparison ? json_text(json_of(*contents.comparison)) : "null") +
      ",\"series\":" + json_text(series) + "}";
  // Escapes "<", so that no text ends the script element around the JSON.
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

}  // namespace graphbench::service
