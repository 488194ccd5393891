// Matches launches by their index where they ran in pairs.
#include "harness/verdict/compare/replicates.hpp"

#include <algorithm>
#include <cstddef>

namespace graphbench::compare {
namespace {

using model::Metric;

std::vector<double> times_of(const DocumentCell& cell, Metric metric) {
  std::vector<double> times;
  for (const LaunchTimes& launch : cell.launches) {
    if (launch[metric] > 0) times.push_back(launch[metric]);
  }
  return times;
}

}  // namespace

bool indices_are_unique(const std::vector<LaunchTimes>& launches) {
  for (std::size_t i = 0; i < launches.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (launches[i].index == launches[j].index) return false;
    }
  }
  return true;
}

Replicates replicates_of(const DocumentCell& base, const DocumentCell& now, Metric metric, bool interleaved) {
  Replicates all{times_of(base, metric), times_of(now, metric)};
  if (!interleaved || all.base.empty() || all.now.empty()) return all;
  Replicates replicates;
  replicates.paired = true;
  for (const LaunchTimes& launch : base.launches) {
    const auto partner = std::ranges::find(now.launches, launch.index, &LaunchTimes::index);
    if (partner == now.launches.end()) continue;
    if (launch[metric] <= 0 || (*partner)[metric] <= 0) continue;
    replicates.base.push_back(launch[metric]);
    replicates.now.push_back((*partner)[metric]);
  }
  if (!replicates.base.empty()) return replicates;
  all.partnerless = true;
  return all;
}

}  // namespace graphbench::compare
