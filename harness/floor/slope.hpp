// Pure arithmetic over measured points: the slope of a line, the step of a clock.
#pragma once

#include <vector>

namespace graphbench::floors {

// The slope of the least-squares line through (x, y). At least two different x, else 0.
double slope_of(const std::vector<double>& x, const std::vector<double>& y);

// The smallest difference between two values that differ; 0 where none do.
double smallest_step(std::vector<double> values);

}  // namespace graphbench::floors
