// graphbench_means_simulation [COMPARISONS [SEED]]: measures compare()'s false alarms for sweeps without a
// change: of all its tests together, of means and of launches. docs/reference/statistics.md summarizes them.
#include <fmt/format.h>

#include <array>
#include <boost/random/bernoulli_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/student_t_distribution.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "harness/judge/compare/compare.hpp"

namespace {

using graphbench::judge::Side;
using graphbench::model::Metric;

struct Scenario {
  const char* name = "";
  double sigma = 0.01;  // standard deviation of the logarithms of launches' times
  // Shares of the variance: of effects common to a launch's processes, a task's cells and a cell's metrics.
  double of_machine = 0;
  double of_task = 0.5;
  double of_cell = 0.3;  // the rest is a metric's own
  bool heavy_tails = false;
  double eager_factor = 1;  // multiplies eager's sigma
  double odd_share = 0;     // the share of launches in which all processes are 5 % slower
};

constexpr std::array scenarios = {
    Scenario{"no change", 0.002},
    Scenario{"no change", 0.01},
    Scenario{"no change", 0.03},
    Scenario{"no change, wild", 0.1},
    Scenario{"launches common to all cells", 0.03, 0.5, 0},
    Scenario{"launches common to all cells, wild", 0.1, 0.5, 0},
    Scenario{"heavy tails", 0.03, 0, 0.5, 0.3, true},
    Scenario{"eager spreads four times as much", 0.01, 0, 0.5, 0.3, false, 4},
    Scenario{"one launch in ten 5 % slower", 0.002, 0, 0.5, 0.3, false, 1, 0.1},
};

class Sides {
 public:
  Sides(const Scenario& scenario, std::uint64_t seed) : scenario_(scenario), random_(seed) {}

  Side draw(int launches) {
    Side side;
    side.source = "side";
    side.documents = 1;
    std::vector<double> of_machine;
    for (int i = 0; i < launches; ++i) of_machine.push_back(oddity() + part(scenario_.of_machine));
    for (const char* workload : {"mlp", "attention", "conv"}) {
      for (const char* mode : {"eager", "whole", "piecewise"}) add_task(workload, mode, of_machine, side);
    }
    return side;
  }

 private:
  double part(double share) {
    const double luck = scenario_.heavy_tails ? student_(random_) / std::sqrt(3.0) : normal_(random_);
    return scenario_.sigma * std::sqrt(share) * luck;
  }

  double oddity() {
    boost::random::bernoulli_distribution<> odd(scenario_.odd_share);
    return odd(random_) ? std::log1p(0.05) : 0;
  }

  void add_task(const std::string& workload, const std::string& mode, const std::vector<double>& of_machine,
                Side& side) {
    const double factor = mode == "eager" ? scenario_.eager_factor : 1;
    const double own = 1 - scenario_.of_machine - scenario_.of_task - scenario_.of_cell;
    std::vector<double> of_task;
    for (const double machine : of_machine) of_task.push_back(machine + factor * part(scenario_.of_task));
    for (int batch = 1; batch <= 256; batch *= 2) {
      graphbench::judge::DocumentCell& cell = side.cells.emplace_back();
      cell.id = workload + "/base/bf16/forward/b" + std::to_string(batch) + "/w3/" + mode;
      for (std::size_t i = 0; i < of_task.size(); ++i) {
        graphbench::judge::LaunchTimes& launch = cell.launches.emplace_back();
        launch.index = static_cast<std::int64_t>(i);
        const double of_cell = of_task[i] + factor * part(scenario_.of_cell);
        for (const Metric metric : {Metric::latency, Metric::submit, Metric::device, Metric::setup}) {
          if (metric != Metric::setup || mode != "eager")
            launch[metric] = 100e-6 * std::exp(of_cell + factor * part(own));
        }
      }
    }
  }

  const Scenario& scenario_;
  boost::random::mt19937_64 random_;
  boost::random::normal_distribution<> normal_;
  boost::random::student_t_distribution<> student_{3};
};

}  // namespace

int main(int argc, char** argv) {
  const long comparisons = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1000;
  const auto seed = static_cast<std::uint64_t>(argc > 2 ? std::strtol(argv[2], nullptr, 10) : 1);
  fmt::print("{} comparisons a row, seed {}\n\n", comparisons, seed);
  std::puts("| what | sigma | launches a side | slower | of a mean | odd launch | less steady |");
  std::puts("| --- | --- | --- | --- | --- | --- | --- |");
  bool held = true;
  for (const Scenario& scenario : scenarios) {
    for (const int launches : {5, 10}) {
      long slower = 0;
      long means = 0;
      long odd = 0;
      long less_steady = 0;
      for (long i = 0; i < comparisons; ++i) {
        Sides sides(scenario, seed + static_cast<std::uint64_t>(i) * 1000);
        const Side base = sides.draw(launches);
        const auto comparison = graphbench::judge::compare(base, sides.draw(launches), {});
        slower += any_slower(comparison.counts) ? 1 : 0;
        means += comparison.counts.means_slower > 0 ? 1 : 0;
        odd += comparison.odd_launches.empty() ? 0 : 1;
        less_steady += comparison.counts.means_less_steady > 0 ? 1 : 0;
      }
      const auto share = [&](long count) {
        return 100 * static_cast<double>(count) / static_cast<double>(comparisons);
      };
      fmt::print("| {} | {:.1f} % | {} | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % |\n", scenario.name,
                 100 * scenario.sigma, launches, share(slower), share(means), share(odd), share(less_steady));
      std::fflush(stdout);
      held = held && share(slower) <= 1;
    }
  }
  std::puts(held ? "\nheld" : "\nNOT HELD");
  return held ? 0 : 1;
}
