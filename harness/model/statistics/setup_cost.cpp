// Computes the cost of setups as medians over later placements and later launches.
#include "harness/model/statistics/setup_cost.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::model {
namespace {

double of_mode(const Opening& opening) {
  return opening.compile_seconds.value_or(0) + opening.record_seconds.value_or(0);
}

bool has_one_placement(const Launch& launch) {
  return launch.setups.size() < 2;
}

}  // namespace

double setup_seconds(const Setup& setup) {
  return of_mode(setup.opening) + setup.capture_seconds + setup.break_seconds.value_or(0) +
         setup.instantiate_seconds + setup.upload_seconds;
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

std::vector<double> later_setups(const std::vector<Launch>& launches, double (*number)(const Setup& setup)) {
  std::vector<double> values;
  for (const Launch& launch : launches) {
    if (has_later_setups(launches, launch)) values.push_back(of_later_setups(launch, number));
  }
  return values;
}

std::optional<double> setup_over(const std::vector<Launch>& launches, double (*number)(const Setup& setup)) {
  return median_or_absent(later_setups(launches, number));
}

std::optional<double> first_setup_excess(const Launch& launch) {
  if (has_one_placement(launch)) return std::nullopt;
  return cost_seconds(launch.setup) - of_later_setups(launch, cost_seconds);
}

double startup_seconds(const Startup& startup) {
  return of_mode(startup.opening) + startup.warmup_seconds + startup.capture_seconds +
         startup.break_seconds.value_or(0) + startup.instantiate_seconds + startup.upload_seconds +
         startup.first_step_seconds;
}

double build_seconds(const Startup& startup) {
  return startup.process_seconds.value_or(0) + startup.plugin_seconds + startup.module_seconds +
         startup.context_seconds + startup.weights_seconds + startup.prepare_seconds +
         startup.opening.build_seconds.value_or(0) + startup.opening.open_seconds.value_or(0);
}

const Startup* middle_startup(const std::vector<Launch>& launches) {
  std::vector<const Startup*> startups;
  for (const Launch& launch : launches) {
    if (launch.startup) startups.push_back(&*launch.startup);
  }
  if (startups.empty()) return nullptr;
  std::ranges::sort(startups, {}, [](const Startup* startup) { return startup_seconds(*startup); });
  return startups[(startups.size() - 1) / 2];
}

}  // namespace graphbench::model
