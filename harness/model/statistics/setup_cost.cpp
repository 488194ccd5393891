// Computes the cost of setups as medians over later placements and later launches.
#include "harness/model/statistics/setup_cost.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::model {
namespace {

bool has_one_placement(const Launch& launch) {
  return launch.setups.size() < 2;
}

}  // namespace

double setup_seconds(const Setup& setup) {
  return setup.capture_seconds + setup.instantiate_seconds + setup.upload_seconds;
}

double cost_seconds(const Setup& setup) {
  return setup.warmup_seconds + setup_seconds(setup);
}

double of_later_setups(const Launch& launch, double (*number)(const Setup& setup)) {
  if (has_one_placement(launch)) return number(launch.setup);
  std::vector<double> later;
  for (std::size_t i = 1; i < launch.setups.size(); ++i) later.push_back(number(launch.setups[i]));
  return median(std::move(later));
}

bool has_later_setups(const std::vector<Launch>& launches, const Launch& launch) {
  if (!has_one_placement(launch) || launch.index > 0) return true;
  return std::ranges::none_of(launches, [](const Launch& each) { return each.index > 0; });
}

std::optional<double> setup_over(const std::vector<Launch>& launches, double (*number)(const Setup& setup)) {
  std::vector<double> values;
  for (const Launch& launch : launches) {
    if (has_later_setups(launches, launch)) values.push_back(of_later_setups(launch, number));
  }
  return median_or_absent(std::move(values));
}

std::optional<double> first_setup_excess(const std::vector<Launch>& launches, const Launch& launch) {
  const double first = cost_seconds(launch.setup);
  if (!has_one_placement(launch)) return first - of_later_setups(launch, cost_seconds);
  if (has_later_setups(launches, launch)) return std::nullopt;
  return first - *setup_over(launches, cost_seconds);
}

}  // namespace graphbench::model
