// Lists every numeric field that a document of ours can have, for `graphbench list metrics`: from the
// descriptions (GB_DESCRIBE) by which documents are written.
#include "harness/cli/document_numbers.hpp"

#include <algorithm>
#include <functional>

#include "harness/bill/bill_fields.hpp"
#include "harness/canary/canary_fields.hpp"
#include "harness/judge/history/history_fields.hpp"
#include "harness/ladder/ladder_fields.hpp"
#include "harness/model/codec/number_paths.hpp"
#include "harness/model/metrics.hpp"

namespace graphbench::cli {
namespace {

using model::NumberPaths;

constexpr std::string_view result_schema = "graphbench.result/1";
constexpr std::string_view cells_prefix = "cells[].";

struct Document {
  std::string_view schema;
  std::function<void(NumberPaths&)> add;
};

// A document's head is a described struct. Its lists, such as "bills[]", are no members of it, so each has a
// line here.
std::vector<Document> documents() {
  return {{result_schema,
           [](NumberPaths& paths) {
             paths.add<model::Result>("");
             paths.add<model::CellResult>("cells[]");
             paths.add<ladder::Ladder>("ladders[]");
             paths.add<ladder::Suggestion>("suggestions[]");
             paths.add<ladder::BestModes>("best[]");
           }},
          {"graphbench.bill/1",
           [](NumberPaths& paths) {
             paths.add<model::Result>("");
             paths.add<bill::Bill>("bills[]");
           }},
          {"graphbench.canary/1", [](NumberPaths& paths) { paths.add<canary::Canary>(""); }},
          {"graphbench.floors/1", [](NumberPaths& paths) { paths.add<model::Environment>("environment"); }},
          {"graphbench.comparison/1",
           [](NumberPaths& paths) {
             paths.add<model::Comparison>("");
             paths.add<model::MeanComparison>("means[]");
             paths.add<model::OddLaunch>("odd_launches[]");
             paths.add<model::CellComparison>("cells[]");
           }},
          {"graphbench.history/1", [](NumberPaths& paths) { paths.add<judge::HistoryEntry>("entries[]"); }},
          {"graphbench.series/1", [](NumberPaths& paths) { paths.add<judge::CellHistory>(""); }},
          {"graphbench.changes/1", [](NumberPaths& paths) { paths.add<judge::ChangedCells>(""); }}};
}

std::string unit_of(const std::string& path) {
  static const std::vector<std::pair<std::string_view, std::string_view>> units = {
      {"seconds", "seconds"},
      {"bytes", "bytes"},
      {"_hz", "hertz"},
      {"_watts", "watts"},
      {"_celsius", "degrees Celsius"}};
  const std::size_t dot = path.rfind('.');
  const std::string last = path.substr(dot == std::string::npos ? 0 : dot + 1);
  const std::string parent = dot == std::string::npos ? "" : path.substr(0, dot);
  // The unit of "latency_seconds.p50" is in the word before the statistic.
  static const std::vector<std::string_view> statistics = {
      "p50",    "p90",        "p99",    "p999",     "min", "max", "mean",
      "stddev", "p50_ci95[]", "ci95[]", "expected", "low", "high"};
  const std::string& named = contains(statistics, last) ? parent : last;
  if (named.find("_per_") != std::string::npos) return "";  // a rate, which has none of these units
  for (const auto& [end, unit] : units) {
    if (named.ends_with(end) || named.ends_with(std::string(end) + "[]")) return std::string(unit);
  }
  return "";
}

// The help of the metric that a number is, or is a part of, wherever the document has it.
std::string help_of(const std::string& path) {
  for (const model::MetricRow& row : model::metrics()) {
    const std::string below = model::path_below(row);
    const std::size_t at = path.rfind(below);
    if (at == std::string::npos || (at > 0 && path[at - 1] != '.')) continue;
    const std::string rest = path.substr(at + below.size());
    if (rest.empty() || rest.front() == '.' || rest.front() == '[') return std::string(row.help);
  }
  return "";
}

bool is_metric_of_cells(const std::string& path) {
  return path.starts_with(cells_prefix) &&
         std::ranges::any_of(model::metrics(), [&](const model::MetricRow& row) {
           return path.substr(cells_prefix.size()) == model::path_of(row);
         });
}

}  // namespace

std::vector<DocumentNumber> document_numbers() {
  std::vector<DocumentNumber> numbers;
  for (const Document& document : documents()) {
    NumberPaths paths;
    document.add(paths);
    for (const std::string& path : paths.paths()) {
      if (document.schema == result_schema && is_metric_of_cells(path)) continue;
      numbers.push_back({std::string(document.schema), path, unit_of(path), help_of(path)});
    }
  }
  return numbers;
}

}  // namespace graphbench::cli
