// A visitor for each: the member's type decides where the value is.
#include "harness/model/statistics/metric_values.hpp"

#include <utility>
#include <vector>

#include "harness/model/statistics/cell_summary.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::statistics {
namespace {

using Number = std::optional<double>;

struct InLaunch {
  const model::Launch& launch;
  Number operator()(std::optional<model::Summary> model::Launch::*field) const {
    return launch.*field ? Number((launch.*field)->p50) : std::nullopt;
  }
  Number operator()(std::optional<double> model::Launch::*field) const { return launch.*field; }
  Number operator()(std::optional<model::Summary> model::Sustained::*field) const {
    const auto& sustained = launch.sustained;
    return sustained && (*sustained).*field ? Number(((*sustained).*field)->p50) : std::nullopt;
  }
  Number operator()(std::optional<double> model::Sustained::*field) const {
    return launch.sustained ? (*launch.sustained).*field : std::nullopt;
  }
  Number operator()(double model::Setup::*field) const { return launch.setup.*field; }
  Number operator()(std::optional<double> model::Setup::*field) const { return launch.setup.*field; }
  template <typename T>
  Number operator()(T model::Startup::*field) const {
    return launch.startup ? Number((*launch.startup).*field) : std::nullopt;
  }
  template <typename Other>
  Number operator()(Other) const {
    return std::nullopt;
  }
};

struct InCell {
  const model::MetricRow& row;
  const model::CellResult& cell;

  Number operator()(std::int64_t model::GraphCounts::*field) const {
    return cell.graph ? Number(static_cast<double>((*cell.graph).*field)) : std::nullopt;
  }
  template <typename T>
  Number operator()(T model::Io::*field) const {
    return cell.caller_io ? Number(static_cast<double>((*cell.caller_io).*field)) : std::nullopt;
  }
  Number operator()(std::int64_t model::Counters::*field) const {
    return cell.counters ? Number(static_cast<double>((*cell.counters).*field)) : std::nullopt;
  }
  Number operator()(std::int64_t facts::TrainingFacts::*field) const {
    return cell.training ? Number(static_cast<double>(cell.training->program.*field)) : std::nullopt;
  }
  Number operator()(std::optional<std::int64_t> facts::TrainingFacts::*field) const {
    if (!cell.training || !(cell.training->program.*field)) return std::nullopt;
    return static_cast<double>(*(cell.training->program.*field));
  }
  template <typename T>
  Number operator()(std::optional<T> model::Training::*field) const {
    if (!cell.training || !((*cell.training).*field)) return std::nullopt;
    return static_cast<double>(*((*cell.training).*field));
  }
  Number operator()(std::optional<model::Summary> model::Evaluation::*field) const {
    if (!cell.training || !cell.training->evaluation) return std::nullopt;
    const auto& times = (*cell.training->evaluation).*field;
    return times ? Number(times->p50) : std::nullopt;
  }
  Number operator()(std::int64_t model::ShapeWalk::*field) const {
    return cell.shape_walk ? Number(static_cast<double>((*cell.shape_walk).*field)) : std::nullopt;
  }
  Number operator()(std::optional<double> model::ShapeWalk::*field) const {
    return cell.shape_walk ? (*cell.shape_walk).*field : std::nullopt;
  }
  template <typename T>
  Number operator()(T model::CacheUse::*field) const {
    return cell.cache ? Number(static_cast<double>((*cell.cache).*field)) : std::nullopt;
  }
  template <typename T>
  Number operator()(T model::PackageUse::*field) const {
    return cell.package ? Number(static_cast<double>((*cell.package).*field)) : std::nullopt;
  }
  Number operator()(std::int64_t model::Memory::*field) const {
    return cell.memory ? Number(static_cast<double>((*cell.memory).*field)) : std::nullopt;
  }
  Number operator()(std::optional<std::int64_t> model::Memory::*field) const {
    if (!cell.memory || !((*cell.memory).*field)) return std::nullopt;
    return static_cast<double>(*((*cell.memory).*field));
  }
  Number operator()(std::optional<double> model::CellSummary::*field) const { return cell.summary.*field; }
  Number operator()(std::optional<std::int64_t> model::CellSummary::*field) const {
    const auto& value = cell.summary.*field;
    return value ? Number(static_cast<double>(*value)) : std::nullopt;
  }
  Number operator()(model::DerivedMetric metric) const {
    switch (metric) {
      case model::DerivedMetric::setup_seconds:
        return setup_seconds(cell);
    }
    return std::nullopt;
  }
  // Of launches: the median over them; of distributions the estimate, which is the same.
  template <typename OfLaunches>
  Number operator()(OfLaunches) const {
    if (row.estimate != nullptr && cell.summary.*row.estimate) return (cell.summary.*row.estimate)->p50;
    std::vector<double> values;
    for (const model::Launch& launch : cell.launches) {
      if (const Number value = value_of(row, launch)) values.push_back(*value);
    }
    return median_or_absent(std::move(values));
  }
};

}  // namespace

std::optional<double> value_of(const model::MetricRow& row, const model::Launch& launch) {
  return std::visit(InLaunch{launch}, row.value);
}

std::optional<double> value_of(const model::MetricRow& row, const model::CellResult& cell) {
  if (row.graphs_only && !model::is_graph_mode(cell.cell.mode)) return std::nullopt;
  return std::visit(InCell{row, cell}, row.value);
}

}  // namespace graphbench::statistics
