// Makes the lists of metrics from the table's rows, and finds metrics by name.
#include "harness/model/metrics.hpp"

#include <algorithm>

#include "graphs/base/text.hpp"
#include "harness/model/metric_rows.hpp"

namespace graphbench::model {
namespace {

using Rows = std::vector<const MetricRow*>;

// The first rows of three lists. Other rows follow in table order. compared_first must match enum Metric.
constexpr std::string_view compared_first[] = {"latency", "submit",      "device", "capture",   "sustained",
                                               "setup",   "instantiate", "upload", "throughput"};
constexpr std::string_view columns_first[] = {"submit", "latency", "device", "gain", "rate", "setup"};
constexpr std::string_view counted_first[] = {"nodes", "pieces", "captured_ops", "eager_ops"};

// The rows and the lists. table() makes them once, because a comparison looks rows up for each launch.
struct Table {
  std::vector<MetricRow> rows = metric_rows();
  Rows families = listed(&MetricRow::family, {});
  Rows compared = listed(&MetricRow::compared, compared_first);
  Rows columns = listed(&MetricRow::column, columns_first);
  Rows counted = listed(&MetricRow::counted, counted_first);

  Rows listed(std::string_view MetricRow::*name, std::span<const std::string_view> first) const {
    Rows list;
    for (const MetricRow& row : rows) {
      if (!(row.*name).empty()) list.push_back(&row);
    }
    std::ranges::stable_sort(
        list, {}, [&](const MetricRow* row) { return std::ranges::find(first, row->*name) - first.begin(); });
    return list;
  }
};

const Table& table() {
  static const Table all;
  return all;
}

}  // namespace

std::span<const MetricRow> metrics() {
  return table().rows;
}

std::string_view key_of(MetricSection section) {
  constexpr std::string_view keys[] = {
      "setup",      "startup",   "",         "sustained", "ranks",
      "graph",      "caller_io", "counters", "training",  "training.evaluation",
      "shape_walk", "cache",     "package",  "memory",    "profile",
      "summary",    ""};
  return keys[static_cast<std::size_t>(section)];
}

std::string path_below(const MetricRow& row) {
  const std::string_view key = key_of(section_of(row));
  return std::string(key).append(key.empty() ? "" : ".").append(row.name);
}

std::string path_of(const MetricRow& row) {
  return (section_of(row) <= MetricSection::ranks ? "launches[]." : "") + path_below(row);
}

std::string_view heading_of(const MetricRow& row) {
  return row.column.empty() ? row.name : row.column;
}

std::vector<const MetricRow*> metrics_named(const std::string& where, const std::vector<std::string>& words) {
  Rows found;
  for (const std::string& word : words) {
    Rows ends;
    std::vector<std::string> known;
    const MetricRow* named = nullptr;
    for (const MetricRow& row : table().rows) {
      const std::string path = path_of(row);
      known.push_back(path);
      if (!row.column.empty()) known.emplace_back(row.column);
      if (word == path || (word == row.column && !word.empty())) named = &row;
      if (path.ends_with("." + word)) ends.push_back(&row);
    }
    if (named == nullptr && ends.empty())
      throw InputError(where, in_quotes(word) +
                                  " is not a column or metric: give names from graphbench list " + "metrics" +
                                  did_you_mean(word, known));
    if (named == nullptr && ends.size() > 1)
      throw InputError(where, in_quotes(word) + " matches several metrics: give one of " +
                                  join(ends, ", ", [](const MetricRow* row) { return path_of(*row); }));
    found.push_back(named != nullptr ? named : ends.front());
  }
  return found;
}

std::vector<const MetricRow*> metrics_in(MetricSection section) {
  Rows rows;
  for (const MetricRow& row : table().rows) {
    if (section_of(row) == section) rows.push_back(&row);
  }
  return rows;
}

const std::vector<const MetricRow*>& family_metrics() {
  return table().families;
}

const std::vector<const MetricRow*>& compared_metrics() {
  return table().compared;
}

const std::vector<const MetricRow*>& column_metrics() {
  return table().columns;
}

const std::vector<const MetricRow*>& counted_metrics() {
  return table().counted;
}

const MetricRow& row_of(Metric metric) {
  return *compared_metrics().at(static_cast<std::size_t>(metric));
}

}  // namespace graphbench::model
