// Lists over the rows.
#include "harness/model/metrics.hpp"

#include <algorithm>

#include "harness/model/metric_rows.hpp"

namespace graphbench::model {
namespace {

using Rows = std::vector<const MetricRow*>;

// The lists are made once: a comparison asks for names a million times.
struct Table {
  std::vector<MetricRow> rows;
  Rows families;
  Rows compared;
  Rows columns;
  Rows counted;

  explicit Table(std::vector<MetricRow> all) : rows(std::move(all)) { arrange(); }

  void arrange() {
    families = ordered(&MetricRow::family);
    compared = ordered(&MetricRow::compared);
    columns = ordered(&MetricRow::column);
    counted = ordered(&MetricRow::counted);
  }

 private:
  Rows ordered(MetricPlace MetricRow::*place) const {
    Rows list;
    for (const MetricRow& row : rows) {
      if ((row.*place).order > 0) list.push_back(&row);
    }
    std::ranges::stable_sort(list, {}, [&](const MetricRow* row) { return (row->*place).order; });
    return list;
  }
};

Table& table() {
  static Table all(metric_rows());
  return all;
}

}  // namespace

std::span<const MetricRow> metrics() {
  return table().rows;
}

MetricSection section_of(const MetricRow& row) {
  constexpr MetricSection by_type[] = {
      MetricSection::launch,    MetricSection::launch,   MetricSection::sustained, MetricSection::sustained,
      MetricSection::setup,     MetricSection::setup,    MetricSection::startup,   MetricSection::startup,
      MetricSection::graph,     MetricSection::io,       MetricSection::io,        MetricSection::counters,
      MetricSection::training,  MetricSection::training, MetricSection::training,  MetricSection::training,
      MetricSection::evaluated, MetricSection::walk,     MetricSection::walk,      MetricSection::cache,
      MetricSection::cache,     MetricSection::package,  MetricSection::package,   MetricSection::memory,
      MetricSection::memory,    MetricSection::summary,  MetricSection::summary,   MetricSection::derived};
  static_assert(std::size(by_type) == std::variant_size_v<MetricValue>);
  return by_type[row.value.index()];
}

bool is_distribution(const MetricRow& row) {
  return std::holds_alternative<std::optional<Summary> Launch::*>(row.value);
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

PlantedMetric::PlantedMetric(const MetricRow& row) {
  table().rows.push_back(row);
  table().arrange();
}

PlantedMetric::~PlantedMetric() {
  table().rows.pop_back();
  table().arrange();
}

}  // namespace graphbench::model
