// Permutations and simulated samples, with a generator whose numbers the standard fixes.
#include "harness/model/statistics/resample.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::model {
namespace {

constexpr std::int64_t draws = 9999;
// Fewer values leave no two groups with a spread of their own.
constexpr std::size_t grouped_min = 5;

void add_distances(std::span<const double> values, std::vector<double>& distances) {
  const double middle = median(std::vector<double>(values.begin(), values.end()));
  for (const double value : values) distances.push_back(std::abs(value - middle));
}

struct Split {
  std::size_t upper = 0;
  double distance = 0;
  double clearness = 0;  // the distance over the standard deviation within the groups
};

// Sorts the values.
Split clearest_split(std::span<double> values, double spread_min) {
  std::ranges::sort(values);
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  Split clearest;
  double lower_sum = values[0];
  for (std::size_t lower = 2; lower + 2 <= values.size(); ++lower) {
    lower_sum += values[lower - 1];
    const auto below = static_cast<double>(lower);
    const double above = count - below;
    const double upper_sum = sum - lower_sum;
    const double within =
        squares - lower_sum * lower_sum / below - upper_sum * upper_sum / above;  // may round to below 0
    const double spread = std::max(std::sqrt(std::max(within, 0.0) / (count - 2)), spread_min);
    const double distance = upper_sum / above - lower_sum / below;
    if (distance / spread > clearest.clearness)
      clearest = {values.size() - lower, distance, distance / spread};
  }
  return clearest;
}

}  // namespace

void shuffle(std::span<double> values, std::mt19937_64& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
}

double normal(std::mt19937_64& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11) * 0x1p-53;
  return sum;
}

double p_of_larger_spread(std::span<const double> base, std::span<const double> now) {
  std::vector<double> distances;
  add_distances(now, distances);
  add_distances(base, distances);
  const auto sum_of_now = [&] {
    return std::accumulate(distances.begin(), distances.begin() + std::ssize(now), 0.0);
  };
  // The tolerance makes equal sums equal: the order of additions changes the last bits.
  const double observed = sum_of_now() * (1 - 1e-9);
  std::mt19937_64 random(1);
  std::int64_t as_large = 0;
  for (std::int64_t i = 0; i < draws; ++i) {
    shuffle(distances, random);
    if (sum_of_now() >= observed) ++as_large;
  }
  return static_cast<double>(as_large + 1) / static_cast<double>(draws + 1);
}

std::optional<TwoGroups> two_groups(std::span<const double> values, double spread_min, double level) {
  if (values.size() < grouped_min) return std::nullopt;
  // Around their mean, squares keep their digits.
  std::vector<double> drawn(values.begin(), values.end());
  const double mean = std::accumulate(drawn.begin(), drawn.end(), 0.0) / static_cast<double>(drawn.size());
  for (double& value : drawn) value -= mean;
  const Split split = clearest_split(drawn, spread_min);
  std::mt19937_64 random(1);
  std::int64_t as_clear = 0;
  const auto enough = static_cast<std::int64_t>(level * static_cast<double>(draws + 1));
  for (std::int64_t i = 0; i < draws && as_clear <= enough; ++i) {
    std::ranges::generate(drawn, [&] { return normal(random); });
    if (clearest_split(drawn, 0).clearness >= split.clearness) ++as_clear;
  }
  return TwoGroups{split.upper, split.distance,
                   static_cast<double>(as_clear + 1) / static_cast<double>(draws + 1)};
}

}  // namespace graphbench::model
