// Writes Prometheus's text format: the lines of single series, for callers to keep by the name of their
// family, and all families in order.
#pragma once

#include <prometheus/client_metric.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/metric_family.h>
#include <prometheus/metric_type.h>
#include <prometheus/registry.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace graphbench::reporters {

using Labels = std::vector<prometheus::ClientMetric::Label>;

struct FamilyRow {
  std::string name;
  std::string type;  // "summary", "gauge", "counter", "histogram"
  std::string unit;
  std::vector<std::string> labels;  // "CELL" stands for the labels of a cell
  std::string help;
};

inline FamilyRow gauge_row(std::string name, std::string unit, std::vector<std::string> labels,
                           std::string help) {
  return {std::move(name), "gauge", std::move(unit), std::move(labels), std::move(help)};
}

// A series of a family: the values of the family's last labels, and its number, or times in a summary.
struct Series {
  std::vector<std::string> values;
  double number = 0;
  std::optional<prometheus::ClientMetric::Summary> times = {};
};

// A family that has series of each T. The caller knows the first labels, which all series of one T share.
template <typename T>
struct Family : FamilyRow {
  std::function<std::vector<Series>(const T& of)> series;
};

// The lines of series by the name of their family. They are rendered when a number changes, so that a scrape
// only joins texts.
using FamilyLines = std::map<std::string, std::string>;

// Adds the lines of series whose numbers are finite.
void add_lines(FamilyLines& lines, const FamilyRow& family, const Labels& shared,
               const std::vector<Series>& series);
template <typename T>
void add_lines(FamilyLines& lines, const std::vector<Family<T>>& families, const Labels& shared,
               const T& of) {
  for (const Family<T>& family : families) add_lines(lines, family, shared, family.series(of));
}

// The lines that say a family's help and type.
std::string head_text(const FamilyRow& family);

// Appends the head and lines of each family. Omits a family without lines: its head would suggest numbers.
template <typename Families>
void append_families(std::string& text, const Families& families,
                     const std::vector<const FamilyLines*>& all) {
  for (const FamilyRow& family : families) {
    const std::size_t before = text.size();
    text += head_text(family);
    const std::size_t head_end = text.size();
    for (const FamilyLines* lines : all) {
      if (const auto found = lines->find(family.name); found != lines->end()) text += found->second;
    }
    if (text.size() == head_end) text.resize(before);
  }
}

prometheus::Family<prometheus::Gauge>& gauge(prometheus::Registry& registry, const FamilyRow& row);
prometheus::Family<prometheus::Counter>& counter(prometheus::Registry& registry, const FamilyRow& row);

// The families as text, sorted by name and labels: the registry keeps series in hash order, but golden files
// need a fixed order.
std::string rendered(std::vector<prometheus::MetricFamily> families);

}  // namespace graphbench::reporters
