// The statistic of every split comes from one table of summed distances, in constant time each.
#include "harness/judge/history/split.hpp"

#include <cmath>
#include <limits>

namespace graphbench::history {
namespace {

// Summed distances between the values of any two runs of a segment.
class Distances {
 public:
  explicit Distances(const double* values, std::size_t count)
      : count_(count), sums_((count + 1) * (count + 1)) {
    for (std::size_t i = 0; i < count; ++i) {
      double row = 0;
      for (std::size_t j = 0; j < count; ++j) {
        row += std::abs(values[i] - values[j]);
        sums_[(i + 1) * (count + 1) + j + 1] = sums_[i * (count + 1) + j + 1] + row;
      }
    }
  }

  // Over all pairs (a, b), a in [begin, middle), b in [middle, end).
  double between(std::size_t begin, std::size_t middle, std::size_t end) const {
    return box(begin, middle, end) - box(begin, middle, middle);
  }
  // Over all unordered pairs in [begin, end).
  double within(std::size_t begin, std::size_t end) const {
    return (box(begin, end, end) - box(begin, end, begin)) / 2;
  }

 private:
  // Rows [begin, end), columns [0, column).
  double box(std::size_t begin, std::size_t end, std::size_t column) const {
    return sums_[end * (count_ + 1) + column] - sums_[begin * (count_ + 1) + column];
  }

  std::size_t count_;
  std::vector<double> sums_;
};

// Equation 7 of the paper: the divergence of [0, middle) from [middle, end), scaled by mn / (m + n).
double statistic_of(const Distances& distances, std::size_t middle, std::size_t end) {
  const auto left = static_cast<double>(middle);
  const auto right = static_cast<double>(end - middle);
  const double between = 2 * distances.between(0, middle, end) / (left * right);
  const double inside_left = 2 * distances.within(0, middle) / (left * (left - 1));
  const double inside_right = 2 * distances.within(middle, end) / (right * (right - 1));
  return left * right / (left + right) * (between - inside_left - inside_right);
}

// The split that divides the segment best. The right side may end before the segment does (kappa in
// the paper): otherwise a level that returns later would hide the change.
std::optional<Split> best_split(const double* values, std::size_t count, std::size_t segment_min) {
  if (count < 2 * segment_min) return std::nullopt;
  const Distances distances(values, count);
  Split best;
  best.statistic = -std::numeric_limits<double>::infinity();
  for (std::size_t middle = segment_min; middle + segment_min <= count; ++middle) {
    for (std::size_t end = middle + segment_min; end <= count; ++end) {
      const double statistic = statistic_of(distances, middle, end);
      if (statistic > best.statistic) best = {middle, statistic};
    }
  }
  return best;
}

}  // namespace

std::optional<Split> best_over_segments(const std::vector<double>& values,
                                        const std::vector<std::size_t>& boundaries, std::size_t segment_min) {
  std::optional<Split> best;
  for (std::size_t i = 0; i + 1 < boundaries.size(); ++i) {
    const std::size_t begin = boundaries[i];
    auto split = best_split(values.data() + begin, boundaries[i + 1] - begin, segment_min);
    if (!split || (best && split->statistic <= best->statistic)) continue;
    split->at += begin;
    best = split;
  }
  return best;
}

}  // namespace graphbench::history
