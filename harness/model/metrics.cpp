// Lists over the rows, and one number of a launch or of a cell.
#include "harness/model/metrics.hpp"

#include <algorithm>

#include "harness/model/metric_rows.hpp"
#include "harness/statistics/median.hpp"

namespace graphbench::model {
namespace {

using Number = std::optional<double>;

using Rows = std::vector<const MetricRow*>;

// The lists are made once: a comparison asks for names a million times.
struct Table {
  std::vector<MetricRow> rows;
  Rows families;
  Rows compared;
  Rows columns;

  explicit Table(std::vector<MetricRow> all) : rows(std::move(all)) { arrange(); }

  void arrange() {
    families = ordered(&MetricRow::family);
    compared = ordered(&MetricRow::compared);
    columns = ordered(&MetricRow::column);
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

struct InLaunch {
  const Launch& launch;
  Number operator()(std::optional<Summary> Launch::*field) const {
    return launch.*field ? Number((launch.*field)->p50) : std::nullopt;
  }
  Number operator()(std::optional<double> Launch::*field) const { return launch.*field; }
  Number operator()(double Setup::*field) const { return launch.setup.*field; }
  Number operator()(std::optional<double> Setup::*field) const { return launch.setup.*field; }
  template <typename Other>
  Number operator()(Other) const {
    return std::nullopt;
  }
};

struct InCell {
  const MetricRow& row;
  const CellResult& cell;

  Number operator()(std::int64_t GraphCounts::*field) const {
    return cell.graph ? Number(static_cast<double>((*cell.graph).*field)) : std::nullopt;
  }
  Number operator()(std::int64_t Memory::*field) const {
    return cell.memory ? Number(static_cast<double>((*cell.memory).*field)) : std::nullopt;
  }
  Number operator()(std::optional<double> CellSummary::*field) const { return cell.summary.*field; }
  Number operator()(std::optional<std::int64_t> CellSummary::*field) const {
    const auto& value = cell.summary.*field;
    return value ? Number(static_cast<double>(*value)) : std::nullopt;
  }
  Number operator()(Number (*compute)(const CellResult&)) const { return compute(cell); }
  // Of launches: the median over them; of distributions the estimate, which is the same.
  template <typename OfLaunches>
  Number operator()(OfLaunches) const {
    if (row.estimate != nullptr && cell.summary.*row.estimate) return (cell.summary.*row.estimate)->p50;
    std::vector<double> values;
    for (const Launch& launch : cell.launches) {
      if (const Number value = value_of(row, launch)) values.push_back(*value);
    }
    return values.empty() ? std::nullopt : Number(statistics::median(std::move(values)));
  }
};

}  // namespace

std::span<const MetricRow> metrics() {
  return table().rows;
}

MetricSection section_of(const MetricRow& row) {
  constexpr MetricSection by_type[] = {
      MetricSection::launch,  MetricSection::launch,  MetricSection::setup,
      MetricSection::setup,   MetricSection::graph,   MetricSection::memory,
      MetricSection::summary, MetricSection::summary, MetricSection::derived};
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

std::optional<double> value_of(const MetricRow& row, const Launch& launch) {
  return std::visit(InLaunch{launch}, row.value);
}

std::optional<double> value_of(const MetricRow& row, const CellResult& cell) {
  if (row.graphs_only && cell.cell.mode == "eager") return std::nullopt;
  return std::visit(InCell{row, cell}, row.value);
}

std::optional<Metric> metric_named(std::string_view name) {
  const Rows& rows = compared_metrics();
  const auto found = std::ranges::find(rows, name, [](const MetricRow* row) { return row->compared.name; });
  return found == rows.end() ? std::nullopt : std::optional(static_cast<Metric>(found - rows.begin()));
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
