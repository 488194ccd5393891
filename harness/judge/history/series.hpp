// Makes a cell's history from the store: which points belong together, and where they change their level, by
// E-divisive, tested by permutations and against correlated series. Pure; the seed is fixed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/judge/history/history.hpp"

namespace graphbench::history {

struct ChangePointOptions {
  double alpha = 0.01;              // the largest chance of a change in a series without one
  std::int64_t permutations = 999;  // and simulated series; the smallest p value is 1 / (permutations + 1)
  std::int64_t segment_min = 3;     // points on either side of a change
  std::uint64_t seed = 1;
};

struct FoundChange {
  std::int64_t index = 0;  // of the first value after the change
  double p_value = 1;
};

// What was found in a series.
struct Findings {
  std::vector<FoundChange> changes;   // sorted by index
  std::optional<double> correlation;  // of neighbours, around the levels; absent where nothing varies
};

// Hierarchical divisive estimation (E-divisive): Matteson & James, "A Nonparametric Approach for
// Multiple Change Point Analysis of Multivariate Data", JASA 109 (2014), doi:10.1080/01621459.2013.849605,
// sections 2.2, 2.3 and 3.1, with exponent 1. It assumes no distribution, so skewed times and outliers do
// not fool it, and it is what MongoDB gates its CI with (Daly et al., ICPE 2020). But its permutations take
// neighbours as independent, and those of a nightly series are not: a change must also be more than chance
// in series of the correlation that the values may have (series.cpp). Values are used as given; times
// belong on a log scale.
Findings find_changes(const std::vector<double>& values, const ChangePointOptions& options);

// With fewer values the permutation test cannot reach `alpha`, because the best split has too many equals
// among the drawn orders.
std::int64_t values_min(const ChangePointOptions& options);

struct SeriesOptions {
  std::string branch;              // of the points; empty: any
  bool every_environment = false;  // else those with the latest point's fingerprint and plan
  std::int64_t last = 200;         // points at most; the test's time grows with their square
  ChangePointOptions changes;
};

// `points` are oldest first, as in Store::points. Changes are looked for in the logarithms of the medians,
// because times vary by factors.
model::CellHistory make_series(std::string cell, model::Metric metric,
                               std::vector<model::HistoryPoint> points, const SeriesOptions& options);

}  // namespace graphbench::history
