// One comparison says what it would have found by the spread that it saw; another one sees another spread.
#include "tests/simulation/power.hpp"

#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <cmath>
#include <vector>

#include "harness/verdict/compare/judge.hpp"

namespace graphbench::simulation {
namespace {

constexpr double sigma = 0.01;
constexpr double time_seconds = 100e-6;  // far above the floor
constexpr double metrics = 176;          // of a sweep of 48 cells

class Machine {
 public:
  Machine(std::int64_t launches, std::uint64_t seed) : launches_(launches), random_(seed) {}

  compare::Trial comparison(double log_change) {
    compare::Replicates replicates;
    for (std::int64_t i = 0; i < launches_; ++i) {
      replicates.base.push_back(time_seconds * std::exp(sigma * normal_(random_)));
      replicates.now.push_back(time_seconds * std::exp(sigma * normal_(random_) + log_change));
    }
    return compare::measure(model::Metric::latency, replicates, model::MetricSettings{});
  }

 private:
  std::int64_t launches_;
  boost::random::mt19937_64 random_;
  boost::random::normal_distribution<> normal_;
};

}  // namespace

double power_of_detectable(std::int64_t launches, std::int64_t comparisons, std::uint64_t seed) {
  const double threshold = model::ComparisonSettings{}.alpha / metrics;
  Machine machine(launches, seed);
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < comparisons; ++i) {
    const compare::Trial before = machine.comparison(0);
    const compare::Trial after = machine.comparison(
        statistics::detectable_difference(*before.difference, before.log_margin, threshold));
    if (*after.result.p < threshold && after.result.ratio > 1) ++found;
  }
  return static_cast<double>(found) / static_cast<double>(comparisons);
}

}  // namespace graphbench::simulation
