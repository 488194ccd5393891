// Fits effects of rows by median polish. The loop ends when no row changes; columns come first, so the first
// turn does most.
#include "harness/judge/compare/two_way.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::statistics {
namespace {

constexpr int turns_max = 20;
constexpr double still = 1e-4;  // a tenth of log_spread_min

// Subtracts the median of every `stride`th value from these, and returns it; NaN where there is none.
double take_median(double* values, std::size_t count, std::size_t stride) {
  std::vector<double> known;
  known.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isnan(values[i * stride])) known.push_back(values[i * stride]);
  }
  if (known.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double middle = median(std::move(known));
  for (std::size_t i = 0; i < count; ++i) values[i * stride] -= middle;
  return middle;
}

}  // namespace

std::vector<double> row_effects(std::vector<double> table, std::size_t columns) {
  const std::size_t rows = columns == 0 ? 0 : table.size() / columns;
  std::vector<double> effects(rows, 0);
  double moved = 1;
  for (int turn = 0; turn < turns_max && moved > still; ++turn) {
    for (std::size_t c = 0; c < columns; ++c) take_median(table.data() + c, rows, columns);
    moved = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      const double by = take_median(table.data() + r * columns, columns, 1);
      effects[r] += by;
      if (!std::isnan(by)) moved = std::max(moved, std::abs(by));
    }
  }
  take_median(effects.data(), rows, 1);
  return effects;
}

}  // namespace graphbench::statistics
