// Computes the least-squares line, and the smallest step of a coarse clock.
#include "harness/measure/floor/slope.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "graphs/base/error.hpp"

namespace graphbench::measure {

Line line_of(const std::vector<double>& x, const std::vector<double>& y) {
  GRAPHBENCH_ASSERT(x.size() == y.size());
  double x_mean = 0;
  double y_mean = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x_mean += x[i] / static_cast<double>(x.size());
    y_mean += y[i] / static_cast<double>(x.size());
  }
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    products += (x[i] - x_mean) * (y[i] - y_mean);
    squares += (x[i] - x_mean) * (x[i] - x_mean);
  }
  const double slope = squares > 0 ? products / squares : 0;
  return {slope, y_mean - slope * x_mean};
}

model::ExecMemoryFloor with_line(std::vector<model::ExecMemoryPoint> points) {
  std::vector<double> nodes;
  std::vector<double> bytes;
  for (const model::ExecMemoryPoint& point : points) {
    nodes.push_back(static_cast<double>(point.nodes));
    bytes.push_back(point.bytes);
  }
  const Line line = line_of(nodes, bytes);
  for (model::ExecMemoryPoint& point : points)
    point.residual_bytes = point.bytes - line.at_zero - line.slope * static_cast<double>(point.nodes);
  return {line.slope, line.at_zero, std::move(points)};
}

double smallest_step(std::vector<double> values) {
  std::ranges::sort(values);
  double step = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    // A difference below 0.1 ns is a rounding error, not a step of the clock.
    const double difference = values[i] - values[i - 1];
    if (difference > 1e-10 && (step == 0 || difference < step)) step = difference;
  }
  return step;
}

}  // namespace graphbench::measure
