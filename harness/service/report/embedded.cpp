// Reduces documents to the parts that a report shows, so that the report is small enough to send.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/judge/compare/compare.hpp"
#include "harness/judge/history/history_fields.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/model/metrics.hpp"
#include "harness/model/statistics/metric_values.hpp"
#include "harness/service/report/contents.hpp"

namespace graphbench::report {
namespace {

using model::CellResult;
using nlohmann::json;
using OptionalNumber = std::optional<double>;

constexpr std::size_t message_bytes_max = 200;
constexpr std::size_t changed_cells_max = 200;

std::optional<std::vector<codec::Member>> members_of(const NamedText& document,
                                                     const codec::PaddedText& text) try {
  return codec::members_of(text.view());
} catch (const InputError& error) {  // it names the key alone
  throw InputError(document.source, error.what());
}

std::string schema_of(const NamedText& document) {
  const codec::PaddedText text(document.text);
  const auto members = members_of(document, text);
  if (!members)
    throw InputError(document.source, "the file is not a JSON object: give a graphbench document");
  const auto found = std::ranges::find(*members, "schema", &codec::Member::name);
  return found == members->end() ? "" : found->text;
}

// Checks the nesting first, because json's copies and dump() recurse once for each level.
json parsed(const NamedText& document) {
  codec::check_json(document.text, document.source);
  json value = json::parse(document.text, nullptr, false);
  if (value.is_discarded()) throw InputError(document.source, "the file is not JSON");
  return value;
}

// Reads a document that a description covers. Refuses a document without the list `wanted`.
template <typename T>
T read_described(const NamedText& document, std::string_view wanted) {
  codec::JsonWalk walk(document.source);
  T data{};
  bool complete = false;
  walk.document(document.text, [&](std::string_view key, codec::JsonWalk::Value value) {
    complete |= key == wanted;
    codec::JsonReader(walk).read_field(key, value, data);
  });
  if (!complete)
    throw InputError(document.source,
                     "not a complete graphbench document: it has no " + in_quotes(std::string(wanted)));
  return data;
}

model::CellHistory read_series(const NamedText& document) {
  auto series = read_described<model::CellHistory>(document, "points");
  for (const model::ChangePoint& change : series.changes) {
    if (change.index < 0 || change.index >= std::ssize(series.points))
      throw InputError(document.source, "not a complete graphbench document: changes[].index is " +
                                            std::to_string(change.index) + ", and there are " +
                                            std::to_string(series.points.size()) + " points");
  }
  return series;
}

// Leaves out cells without a change, and keeps at most changed_cells_max of the others.
void leave_out_same_cells(std::vector<model::CellComparison>& cells) {
  std::erase_if(cells, [](const model::CellComparison& cell) {
    const bool same = std::ranges::all_of(
        cell.metrics, [](const auto& metric) { return metric.verdict == model::Verdict::same; });
    return same && cell.coverage == model::Coverage::compared && cell.changed.empty() && cell.lost.empty();
  });
  if (cells.size() > changed_cells_max) cells.resize(changed_cells_max);
}

struct NamedResult {
  const model::Result& result;
  const std::string& source;
};

model::Comparison comparison_of(const NamedResult& base, const NamedResult& now) {
  const auto side_of = [](const NamedResult& side) { return compare::side_of(side.result, side.source); };
  return compare::compare(side_of(base), side_of(now), {});
}

// A ladder's time per step, memory and start-up time, from its first launch.
json brief(const json& ladder) {
  json kept;
  for (const char* key : {"id", "role", "sizes"}) kept[key] = ladder.at(key);
  const json& launches = ladder.at("launches");
  if (launches.empty()) return kept;
  const json& launch = launches.front();
  const json& startup = launch.at("startup");
  const json& memory = launch.at("memory");
  const double steps = ladder.at("traffic").at("steps").get<double>();
  kept["step_seconds"] = steps > 0 ? launch.at("busy_seconds").get<double>() / steps : 0;
  kept["memory_bytes"] = memory.value("pool_bytes", 0.0) +
                         (memory.at("exec_bytes").is_null() ? 0 : memory.at("exec_bytes").get<double>());
  double setup = 0;
  for (const char* stage : {"capture_seconds", "instantiate_seconds", "upload_seconds"})
    setup += startup.value(stage, 0.0);
  kept["startup_seconds"] = setup;
  return kept;
}

json ladders_in(const NamedText& document) {
  if (document.text.find("\"traffic\"") == std::string::npos) return nullptr;
  const json whole = parsed(document);
  json found = {{"ladders", json::array()}, {"suggestions", whole.value("suggestions", json::array())}};
  for (const json& ladder : whole.value("ladders", json::array())) found["ladders"].push_back(brief(ladder));
  return found;
}

// Keeps each bill's sentence, as a conclusion, and the amounts that the page draws.
json bills_in(const NamedText& document) {
  const json whole = parsed(document);
  json found = {{"conclusions", json::array()}, {"bills", json::array()}};
  for (const json& bill : whole.at("bills")) {
    if (bill.at("prediction").is_null()) continue;
    found["conclusions"].push_back(
        {{"subject", bill.at("id")}, {"code", "bill"}, {"text", bill.at("sentence")}});
    json& kept = found["bills"].emplace_back(json{{"id", bill.at("id")}});
    for (const char* key : {"prediction", "measured"}) {
      if (bill.contains(key))
        kept[key] = {{"growth", bill.at(key).at("growth")}, {"setup", bill.at(key).at("setup")}};
    }
  }
  return found;
}

// A column of the report's rows: its path in a document's cell, and the cell's value as JSON ("" for none).
struct Column {
  std::string path;
  std::function<std::string(const CellResult&)> text;
};

std::string number(const OptionalNumber& value) {
  return value ? fmt::format("{:.5g}", *value) : "";
}

std::string json_text(std::string_view text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

const std::vector<std::string>& shown_metrics() {
  static const std::vector<std::string> names = {"submit",
                                                 "latency",
                                                 "device",
                                                 "gain",
                                                 "rate",
                                                 "even",
                                                 "setup",
                                                 "steady_after",
                                                 "submit_over_floor",
                                                 "launches[].setup.warmup_seconds",
                                                 "launches[].setup.capture_seconds",
                                                 "launches[].setup.instantiate_seconds",
                                                 "launches[].setup.upload_seconds",
                                                 "launches[].setup.first_step_seconds",
                                                 "memory.context_bytes",
                                                 "memory.code_bytes",
                                                 "memory.static_bytes",
                                                 "memory.workspace_bytes",
                                                 "memory.pool_bytes",
                                                 "memory.exec_bytes"};
  return names;
}

void add_metric(const model::MetricRow& row, std::vector<Column>& columns) {
  const auto value = [&row](const CellResult& cell) { return number(statistics::value_of(row, cell)); };
  if (row.estimate != nullptr) {
    const auto bound = [&row](const CellResult& cell, OptionalNumber model::Estimate::*end) {
      const auto& estimate = cell.summary.*row.estimate;
      return estimate ? number((*estimate).*end) : "";
    };
    const std::string path = "summary." + std::string(row.name);
    columns.push_back({path + ".p50", value});
    columns.push_back(
        {path + ".ci95.0", [=](const auto& cell) { return bound(cell, &model::Estimate::ci95_low); }});
    columns.push_back(
        {path + ".ci95.1", [=](const auto& cell) { return bound(cell, &model::Estimate::ci95_high); }});
    return;
  }
  const bool derived = row.name == "setup_seconds";
  std::string path = derived ? "summary.setup_seconds" : model::path_of(row);
  if (const std::size_t at = path.find("[]"); at != std::string::npos) path.replace(at, 2, ".0");
  columns.push_back({std::move(path), value});
}

std::vector<Column> all_columns() {
  std::vector<Column> columns;
  for (const model::MetricRow* row : model::metrics_named("report", shown_metrics()))
    add_metric(*row, columns);
  const auto add = [&](const char* path, auto text) { columns.push_back({path, std::move(text)}); };
  const auto add_bound = [&](const char* path, OptionalNumber model::CellSummary::*bound) {
    add(path, [=](const CellResult& cell) { return number(cell.summary.*bound); });
  };
  add_bound("summary.speedup_over_eager_ci95.0", &model::CellSummary::speedup_ci95_low);
  add_bound("summary.speedup_over_eager_ci95.1", &model::CellSummary::speedup_ci95_high);
  add_bound("summary.throughput_over_eager_ci95.0", &model::CellSummary::throughput_ci95_low);
  add_bound("summary.throughput_over_eager_ci95.1", &model::CellSummary::throughput_ci95_high);
  add("summary.no_breakeven", [](const CellResult& cell) {
    return cell.summary.no_breakeven ? json_text(model::name_of(*cell.summary.no_breakeven)) : "";
  });
  add("profile.busy_seconds",
      [](const CellResult& cell) { return cell.profile ? number(cell.profile->busy_seconds) : ""; });
  add("profile.gap_seconds",
      [](const CellResult& cell) { return cell.profile ? number(cell.profile->gap_seconds) : ""; });
  add("check.identical",
      [](const CellResult& cell) { return cell.check && !cell.check->identical ? "false" : ""; });
  add("reason.code", [](const CellResult& cell) { return cell.reason ? json_text(cell.reason->code) : ""; });
  add("reason.message", [](const CellResult& cell) {
    return cell.reason ? json_text(head_of(cell.reason->message, message_bytes_max)) : "";
  });
  return columns;
}

std::string row_of(const CellResult& cell, const std::vector<Column>& columns) {
  std::string row = "[" + json_text(model::id_of(cell.cell)) + "," + json_text(model::name_of(cell.status));
  std::string nothing;
  for (const Column& column : columns) {
    const std::string text = column.text(cell);
    if (text.empty()) {
      nothing += ",null";
    } else {
      row += std::exchange(nothing, "") + "," + text;
    }
  }
  return row + "]";
}

json head_json(const model::Result& result) {
  json head = json::parse(codec::head_to_json(result) + "]}");
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

std::string text_of(const model::Result& result, const json& lists) {
  json head = head_json(result);
  if (lists.is_object()) head.update(lists);
  std::vector<Column> columns = all_columns();
  std::erase_if(columns, [&](const Column& column) {
    return std::ranges::all_of(result.cells,
                               [&](const CellResult& cell) { return column.text(cell).empty(); });
  });
  head["columns"] = json::array();
  for (const Column& column : columns) head["columns"].push_back(column.path);
  std::string text = head.dump(-1, ' ', false, json::error_handler_t::replace);
  text.back() = ',';
  text += "\"rows\":[";
  const char* separator = "";
  for (const CellResult& cell : result.cells) text += std::exchange(separator, ",\n") + row_of(cell, columns);
  return text + "]}";
}

void add(const NamedText& document, Contents& contents, std::string& base) {
  const std::string schema = schema_of(document);
  const bool compared = contents.comparison.has_value();
  const bool is_bill = schema == "graphbench.bill/1";
  if ((schema == "graphbench.result/1" || is_bill) && !(contents.result && compared)) {
    model::Result result = codec::read_result(document.text, document.source);
    if (contents.result)
      contents.comparison = comparison_of({*contents.result, base}, {result, document.source});
    contents.result = std::move(result);
    contents.lists = is_bill ? bills_in(document) : ladders_in(document);
    base = document.source;
  } else if (schema == "graphbench.comparison/1" && !compared) {
    contents.comparison = read_described<model::Comparison>(document, "cells");
  } else if (schema == "graphbench.series/1") {
    contents.series.push_back(read_series(document));
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
  for (const NamedText& document : documents) add(document, contents, base);
  if (contents.comparison) leave_out_same_cells(contents.comparison->cells);
  return contents;
}

std::string to_json(const Contents& contents) {
  const codec::JsonWriter writer(codec::Form::message);
  const std::string text =
      "{\"result\":" + (contents.result ? text_of(*contents.result, contents.lists) : "null") +
      ",\"comparison\":" + codec::dump(writer.write(contents.comparison)) +
      ",\"series\":" + codec::dump(writer.write(contents.series)) + "}";
  // Escapes "<", so that no text ends the script element around the JSON.
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

}  // namespace graphbench::report
