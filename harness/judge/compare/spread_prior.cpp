// Estimates spreads, with digamma, trigamma and Fisher's F from Boost.Math.
#include "harness/judge/compare/spread_prior.hpp"

#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <limits>

namespace graphbench::statistics {
namespace {

// This policy avoids promotion to long double, as in mean_difference.cpp.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

constexpr double by_chance = 0.01;

// Newton's iteration of Smyth (2004), appendix. It is convex, so it converges from its start for every
// positive value.
double inverse_trigamma(double value) {
  if (value > 1e7) return 1 / std::sqrt(value);
  if (value < 1e-6) return 1 / value;
  double at = 0.5 + 1 / value;
  for (int i = 0; i < 50; ++i) {
    const double trigamma = boost::math::trigamma(at, Policy());
    const double step = trigamma * (1 - trigamma / value) / boost::math::polygamma(2, at, Policy());
    at += step;
    if (-step / at < 1e-8) break;
  }
  return at;
}

// The logarithm of a variance, minus the bias that its degrees of freedom give its mean.
double centred(const Spread& spread) {
  const double half = spread.freedom / 2;
  return std::log(spread.variance) - boost::math::digamma(half, Policy()) + std::log(half);
}

double mean_centred(const std::vector<Spread>& group) {
  double sum = 0;
  for (const Spread& each : group) sum += centred(each);
  return sum / static_cast<double>(group.size());
}

}  // namespace

double common_freedom(std::span<const std::vector<Spread>> groups) {
  double excess = 0;  // of the logarithms' variance over what chance explains
  double count = 0;
  for (const std::vector<Spread>& group : groups) {
    if (group.size() < 2) continue;
    const double mean = mean_centred(group);
    const auto size = static_cast<double>(group.size());
    for (const Spread& each : group) {
      const double distance = centred(each) - mean;
      excess += distance * distance - boost::math::trigamma(each.freedom / 2, Policy()) * (size - 1) / size;
    }
    count += size - 1;
  }
  if (count == 0) return 0;
  return excess > 0 ? 2 * inverse_trigamma(excess / count) : std::numeric_limits<double>::infinity();
}

Spread common_spread(const std::vector<Spread>& group) {
  const double freedom = common_freedom(std::span(&group, 1));
  if (freedom == 0) return {};
  const double bias = std::isinf(freedom) ? 0 : boost::math::digamma(freedom / 2) - std::log(freedom / 2);
  return {std::exp(mean_centred(group) + bias), freedom};
}

bool exceeds(const Spread& own, const Spread& common) {
  const double ratio = own.variance / common.variance;
  // This is below the percentile for any degrees of freedom of `common`, and quicker.
  if (ratio <= 1 + 2 * std::sqrt(2 / own.freedom)) return false;
  const boost::math::fisher_f_distribution<double, Policy> distribution(own.freedom, common.freedom);
  return boost::math::cdf(boost::math::complement(distribution, ratio)) < by_chance;
}

Spread moderated(const Spread& own, const Spread& common) {
  if (common.freedom <= 0 || exceeds(own, common)) return own;
  const double freedom = own.freedom + common.freedom;
  return {(own.freedom * own.variance + common.freedom * common.variance) / freedom, freedom};
}

}  // namespace graphbench::statistics
