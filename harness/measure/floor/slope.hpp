// Pure arithmetic over measured points: the slope of a line, the step of a clock.
#pragma once

#include <vector>

#include "harness/model/instruments.hpp"

namespace graphbench::floors {

struct Line {
  double slope = 0;
  double at_zero = 0;
};

// The least-squares line through (x, y). At least two different x, else its slope is 0.
Line line_of(const std::vector<double>& x, const std::vector<double>& y);

// The points with the line through them, and the distance of each from it.
model::ExecMemoryFloor with_line(std::vector<model::ExecMemoryPoint> points);

// The smallest difference between two values that differ; 0 if none do.
double smallest_step(std::vector<double> values);

}  // namespace graphbench::floors
