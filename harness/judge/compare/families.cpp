// Corrects p values by family. A family's Simes p is its members' smallest Benjamini-Hochberg adjusted p.
#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "harness/judge/compare/judge.hpp"
#include "harness/model/statistics/mean_difference.hpp"

namespace graphbench::judge {
namespace {

// Computes in double, as mean_difference.cpp does, without promotion to long double.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

constexpr double by_chance = 0.01;
// Families that are always wrong together are one test, which would call 1.1 % of unchanged sides slower (5
// launches, spread 10 %). Counting its q so often keeps that below the promised 1 %.
constexpr double one_test = 1.5;

// Solves trigamma(x) = value. Newton's method converges: 1 / trigamma is convex (Smyth 2004, appendix).
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

// The logarithm of the variance, corrected for the bias that follows from the degrees of freedom.
double centred(const model::Spread& spread) {
  const double half = spread.freedom / 2;
  return std::log(spread.variance) - boost::math::digamma(half, Policy()) + std::log(half);
}

double mean_centred(const std::vector<model::Spread>& group) {
  double sum = 0;
  for (const model::Spread& each : group) sum += centred(each);
  return sum / static_cast<double>(group.size());
}

}  // namespace

FamilyTests test_families(std::span<const double> p, std::span<const std::uint32_t> family, double alpha,
                          double shared) {
  FamilyTests tests;
  if (p.empty()) return tests;
  tests.members.resize(std::size_t{std::ranges::max(family)} + 1);
  for (const std::uint32_t number : family) ++tests.members[number];
  // ends[f] is where the next member of family f goes in `order`; after the loop, the end of family f.
  std::vector<std::size_t> ends(tests.members.size());
  std::exclusive_scan(tests.members.begin(), tests.members.end(), ends.begin(), std::size_t{0});
  std::vector<std::size_t> order(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) order[ends[family[i]]++] = i;
  std::vector<double> within(p.begin(), p.end());
  std::vector<double> own;
  for (std::size_t f = 0; f < ends.size(); ++f) {
    const auto members = std::span(order).first(ends[f]).last(tests.members[f]);
    if (members.size() > 1) {
      own.clear();
      for (const std::size_t i : members) own.push_back(p[i]);
      const std::vector<double> adjusted = model::benjamini_hochberg(own);
      for (std::size_t k = 0; k < members.size(); ++k) within[members[k]] = adjusted[k];
    }
    tests.family_p.push_back(
        within[*std::ranges::min_element(members, {}, [&](std::size_t i) { return within[i]; })]);
  }
  tests.times = 1 + shared * (one_test - 1);
  tests.family_q = model::benjamini_hochberg(tests.family_p);
  for (double& q : tests.family_q) q = std::min(1.0, q * tests.times);
  const auto found = std::ranges::count_if(tests.family_q, [&](double q) { return q < alpha; });
  const double selection =
      static_cast<double>(tests.family_q.size()) / static_cast<double>(std::max<std::ptrdiff_t>(found, 1));
  for (std::size_t i = 0; i < p.size(); ++i)
    tests.q.push_back(std::max(tests.family_q[family[i]], std::min(1.0, within[i] * selection)));
  return tests;
}

double common_freedom(std::span<const std::vector<model::Spread>> groups) {
  double excess = 0;  // sum of squared deviations of the log variances, minus the part due to chance
  double count = 0;
  for (const std::vector<model::Spread>& group : groups) {
    if (group.size() < 2) continue;
    const double mean = mean_centred(group);
    const auto size = static_cast<double>(group.size());
    for (const model::Spread& each : group) {
      const double distance = centred(each) - mean;
      excess += distance * distance - boost::math::trigamma(each.freedom / 2, Policy()) * (size - 1) / size;
    }
    count += size - 1;
  }
  if (count == 0) return 0;
  return excess > 0 ? 2 * inverse_trigamma(excess / count) : std::numeric_limits<double>::infinity();
}

model::Spread common_spread(const std::vector<model::Spread>& group) {
  const double freedom = common_freedom(std::span(&group, 1));
  if (freedom == 0) return {};
  const double bias = std::isinf(freedom) ? 0 : boost::math::digamma(freedom / 2) - std::log(freedom / 2);
  return {std::exp(mean_centred(group) + bias), freedom};
}

double p_of_larger(const model::Spread& own, const model::Spread& common) {
  const boost::math::fisher_f_distribution<double, Policy> distribution(own.freedom, common.freedom);
  return boost::math::cdf(boost::math::complement(distribution, own.variance / common.variance));
}

bool exceeds(const model::Spread& own, const model::Spread& common) {
  const double ratio = own.variance / common.variance;
  // For any `common.freedom`, a ratio up to this bound has a larger p than `by_chance`: most calls end here.
  if (ratio <= 1 + 2 * std::sqrt(2 / own.freedom)) return false;
  return p_of_larger(own, common) < by_chance;
}

model::Spread moderated(const model::Spread& own, const model::Spread& common) {
  if (common.freedom <= 0 || exceeds(own, common)) return own;
  const double freedom = own.freedom + common.freedom;
  return {(own.freedom * own.variance + common.freedom * common.variance) / freedom, freedom};
}

}  // namespace graphbench::judge
