// From launches to a cell's summary, and from a graph cell and its eager neighbour to what graphs buy.
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>

#include "harness/measure/summary.hpp"

namespace graphbench::measure {
namespace {

using model::CellResult;
using Field = std::optional<model::Summary> model::Launch::*;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// Student's t on the logarithms of the launch medians: launches are the unit of replication, and
// times vary by factors, not by differences. The interval is for the launches' geometric centre.
void add_interval(model::Estimate& estimate, const std::vector<double>& medians) {
  if (medians.size() < 3) return;
  const auto count = static_cast<double>(medians.size());
  double mean = 0;
  for (const double each : medians) mean += std::log(each) / count;
  double squares = 0;
  for (const double each : medians) squares += (std::log(each) - mean) * (std::log(each) - mean);
  const double standard_error = std::sqrt(squares / (count - 1) / count);
  const boost::math::students_t distribution(count - 1);
  const double half_width = boost::math::quantile(distribution, 0.975) * standard_error;
  estimate.ci95_low = std::exp(mean - half_width);
  estimate.ci95_high = std::exp(mean + half_width);
}

std::optional<model::Estimate> estimate_of(const std::vector<model::Launch>& launches, Field field) {
  std::vector<double> medians;
  for (const model::Launch& launch : launches) {
    if ((launch.*field).has_value()) medians.push_back((launch.*field)->p50);
  }
  if (medians.empty()) return std::nullopt;
  model::Estimate estimate{.p50 = median(medians), .ci95_low = {}, .ci95_high = {}};
  if (std::ranges::all_of(medians, [](double each) { return each > 0; })) add_interval(estimate, medians);
  return estimate;
}

double capture_cost(const CellResult& cell) {
  std::vector<double> costs;
  for (const model::Launch& launch : cell.launches) {
    costs.push_back(launch.setup.capture_seconds + launch.setup.instantiate_seconds +
                    launch.setup.upload_seconds);
  }
  return median(costs);
}

std::string eager_id_of(model::Cell cell) {
  cell.mode = "eager";
  return id_of(cell);
}

void compare_with_eager(CellResult& cell, const CellResult& eager) {
  const auto& own = cell.summary.latency_seconds;
  const auto& reference = eager.summary.latency_seconds;
  if (!own || !reference || own->p50 <= 0) return;
  cell.summary.speedup_over_eager = reference->p50 / own->p50;
  const double saved = reference->p50 - own->p50;
  if (cell.cell.mode != "eager" && saved > 0) {
    cell.summary.breakeven_steps = std::ceil(capture_cost(cell) / saved);
  }
}

}  // namespace

void summarize_cells(std::vector<CellResult>& cells) {
  std::map<std::string, const CellResult*> eager_cells;
  for (CellResult& cell : cells) {
    if (cell.status != model::CellStatus::ok) continue;
    cell.summary.submit_seconds = estimate_of(cell.launches, &model::Launch::submit_seconds);
    cell.summary.latency_seconds = estimate_of(cell.launches, &model::Launch::latency_seconds);
    cell.summary.device_seconds = estimate_of(cell.launches, &model::Launch::device_seconds);
    if (cell.cell.mode == "eager") eager_cells[id_of(cell.cell)] = &cell;
  }
  for (CellResult& cell : cells) {
    const auto eager = eager_cells.find(eager_id_of(cell.cell));
    if (cell.status == model::CellStatus::ok && eager != eager_cells.end())
      compare_with_eager(cell, *eager->second);
  }
}

}  // namespace graphbench::measure
