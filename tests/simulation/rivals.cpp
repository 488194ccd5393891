// Applies the rules to random samples. Boost's generators give the same numbers on every platform.
#include "tests/simulation/rivals.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <cmath>
#include <cstddef>

namespace graphbench::simulation {
namespace {

constexpr int cells = 48;
constexpr int launches = 5;
constexpr int samples = 100;
constexpr double within_sigma = 0.005;

class Machine {
 public:
  Machine(double sigma, std::uint64_t seed) : sigma_(sigma), random_(seed) {}

  // Returns the sorted logarithms of all samples of one side.
  std::vector<double> side() {
    std::vector<double> pooled;
    for (int launch = 0; launch < launches; ++launch) {
      const double centre = sigma_ * normal_(random_);
      for (int i = 0; i < samples; ++i) pooled.push_back(centre + within_sigma * normal_(random_));
    }
    std::ranges::sort(pooled);
    return pooled;
  }

 private:
  double sigma_;
  boost::random::mt19937_64 random_;
  boost::random::normal_distribution<> normal_;
};

}  // namespace

double mann_whitney_p(const std::vector<double>& base, const std::vector<double>& now) {
  const auto m = static_cast<double>(base.size());
  const auto n = static_cast<double>(now.size());
  double below = 0;  // pairs in which base is smaller; continuous distributions give no ties
  std::size_t smaller = 0;
  for (const double value : now) {
    while (smaller < base.size() && base[smaller] < value) ++smaller;
    below += static_cast<double>(smaller);
  }
  const double z = (below - m * n / 2) / std::sqrt(m * n * (m + n + 1) / 12);
  return 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), std::abs(z)));
}

RivalAlarms rival_alarms(double sigma, std::int64_t comparisons, std::uint64_t seed) {
  Machine machine(sigma, seed);
  RivalAlarms alarms;
  for (std::int64_t i = 0; i < comparisons; ++i) {
    bool ranks = false;
    bool threshold = false;
    for (int cell = 0; cell < cells; ++cell) {
      const std::vector<double> base = machine.side();
      const std::vector<double> now = machine.side();
      const double change = now[now.size() / 2] - base[base.size() / 2];
      ranks = ranks || (change > 0 && mann_whitney_p(base, now) < 0.05);
      threshold = threshold || change > std::log1p(0.05);
    }
    alarms.mann_whitney += (ranks ? 1.0 : 0.0) / static_cast<double>(comparisons);
    alarms.threshold += (threshold ? 1.0 : 0.0) / static_cast<double>(comparisons);
  }
  return alarms;
}

}  // namespace graphbench::simulation
