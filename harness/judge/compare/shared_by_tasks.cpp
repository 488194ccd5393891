// Measures whether tasks have the effects of their launches in common, as on a machine that is slow for
// minutes.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>

#include "harness/judge/compare/judge.hpp"

namespace graphbench::judge {
namespace {

// The sum of v v' over vectors v of length 1. The sum of the squares of its elements is the sum of the
// squared correlations between all pairs of vectors, each with itself included.
class Products {
 public:
  void add(const std::vector<double>& effects, double norm) {
    const std::size_t size = effects.size();
    if (sums_.empty()) sums_.resize(size * size);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) sums_[i * size + j] += effects[i] * effects[j] / norm;
    }
    ++count_;
  }
  double squared_correlations() const {
    return std::inner_product(sums_.begin(), sums_.end(), sums_.begin(), 0.0);
  }
  double pairs() const { return count_ * count_; }

 private:
  std::vector<double> sums_;
  double count_ = 0;
};

}  // namespace

double shared_by_tasks(std::span<Trial* const> trials) {
  // Effects are held against each other launch by launch, so all need the same launches.
  std::map<std::size_t, std::size_t> sizes;
  for (const Trial* trial : trials) ++sizes[trial->effects.size()];
  const auto most = std::ranges::max_element(sizes, {}, [](const auto& size) { return size.second; });
  Products all;
  std::map<std::uint32_t, Products> tasks;
  double freedom = 0;
  for (const Trial* trial : trials) {
    const std::vector<double>& effects = trial->effects;
    const double norm = std::inner_product(effects.begin(), effects.end(), effects.begin(), 0.0);
    if (effects.size() != most->first || norm <= 0) continue;
    all.add(effects, norm);
    tasks[trial->task].add(effects, norm);
    freedom = static_cast<double>(effects.size()) - (trial->result.paired ? 1 : 2);
  }
  double squares = all.squared_correlations();
  double pairs = all.pairs();
  for (const auto& [task, own] : tasks) {
    squares -= own.squared_correlations();
    pairs -= own.pairs();
  }
  if (tasks.size() < 2 || freedom <= 1) return 0;
  // Independent effects have a mean squared correlation of 1 / freedom.
  const double by_chance = 1 / freedom;
  return std::clamp((squares / pairs - by_chance) / (1 - by_chance), 0.0, 1.0);
}

}  // namespace graphbench::judge
