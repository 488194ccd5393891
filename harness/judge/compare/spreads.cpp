// Variances are of one launch, so that pairs and sides of different length compare.
#include "harness/judge/compare/spreads.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <vector>

#include "harness/judge/compare/spread_prior.hpp"

namespace graphbench::compare {
namespace {

using statistics::Spread;

Spread spread_of(const Trial& trial) {
  const statistics::MeanDifference& difference = *trial.difference;
  return {difference.error * difference.error / difference.share, difference.freedom};
}

// What the members of a family tell together.
Spread pooled(const std::vector<Spread>& members) {
  Spread family;
  for (const Spread& own : members) {
    family.freedom += own.freedom;
    family.variance += (own.variance - family.variance) * own.freedom / family.freedom;
  }
  return family;
}

template <typename T>
T& at(std::vector<T>& values, std::size_t place) {
  if (place >= values.size()) values.resize(place + 1);
  return values[place];
}

// Of one metric.
void share_spread(const std::vector<Trial*>& trials) {
  std::vector<double> ladders;
  std::vector<std::vector<Spread>> families;
  for (const Trial* trial : trials) {
    const Spread own = spread_of(*trial);
    at(families, trial->family).push_back(own);
    double& freedom = at(ladders, trial->ladder);
    freedom = std::max(freedom, own.freedom);
  }
  const double known = std::accumulate(ladders.begin(), ladders.end(), 0.0);
  std::vector<Spread> spreads;  // of families
  std::ranges::transform(families, std::back_inserter(spreads), pooled);
  std::vector<Spread> measured = spreads;
  std::erase_if(measured, [](const Spread& family) { return family.freedom == 0; });
  const Spread common = statistics::common_spread(measured);
  for (Spread& family : spreads) {
    if (family.freedom == 0) continue;
    family =
        statistics::moderated(family, {common.variance, std::min(common.freedom, known - family.freedom)});
  }
  const double alike = statistics::common_freedom(families);
  for (Trial* trial : trials) {
    Spread own = spread_of(*trial);
    const Spread& family = spreads[trial->family];
    const double others = family.freedom - own.freedom;
    if (families[trial->family].size() > 1)
      own = statistics::moderated(own, {family.variance, std::min(alike, others)});
    else
      own = family;
    trial->difference->error = std::sqrt(std::max(own.variance, family.variance) * trial->difference->share);
    trial->difference->freedom = own.freedom;
  }
}

}  // namespace

void share_spreads(std::span<Trial> trials) {
  std::map<model::Metric, std::vector<Trial*>> tested;
  for (Trial& trial : trials) {
    if (trial.difference) tested[trial.result.metric].push_back(&trial);
  }
  // One after the other: each needs memory for every family, and threads of their own save no time.
  for (const auto& [metric, same] : tested) share_spread(same);
}

}  // namespace graphbench::compare
