// Fits lines to measured points, and finds the smallest step of a clock. Pure.
#pragma once

#include <vector>

#include "harness/model/instruments.hpp"

namespace graphbench::measure {

struct Line {
  double slope = 0;
  double at_zero = 0;
};

// The slope is 0 if all x are equal.
Line line_of(const std::vector<double>& x, const std::vector<double>& y);

// Fits a line (nodes, bytes) to the points, and sets each point's residual_bytes, its distance from the line.
model::ExecMemoryFloor with_line(std::vector<model::ExecMemoryPoint> points);

// The smallest difference between two different values; 0 if all are equal.
double smallest_step(std::vector<double> values);

}  // namespace graphbench::measure
