// One comparison says what it would have found by the spread that it saw; another one sees another spread.
#include "tests/simulation/power.hpp"

#include "tests/simulation/sweep_model.hpp"

namespace graphbench::simulation {

double power_of_detectable(std::int64_t launches, std::int64_t comparisons, std::uint64_t seed) {
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < comparisons; ++i) {
    Scenario scenario{.launches = launches, .planted_cells = 1};
    Sweep sweep(scenario, seed + static_cast<std::uint64_t>(2 * i));
    std::vector<compare::Trial> before = sweep.trials(std::vector(groups * members, launches));
    compare::judge(before, model::ComparisonSettings{}.alpha);
    scenario.planted_change = *before.front().result.detectable;
    found += simulate(scenario, seed + static_cast<std::uint64_t>(2 * i + 1)).found;
  }
  return static_cast<double>(found) / static_cast<double>(comparisons);
}

}  // namespace graphbench::simulation
