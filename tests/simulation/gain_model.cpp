// Draws launches of graphs and of eager, summarizes them as a sweep does, and counts what their gains say.
#include "tests/simulation/gain_model.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "harness/model/axes.hpp"
#include "harness/model/statistics/cell_summary.hpp"
#include "harness/model/statistics/mean_difference.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::simulation {
namespace {

using Random = std::mt19937_64;

// The logarithms of one launch of graphs and of eager, without the gain.
struct Launch {
  double graphs;
  double eager;
};

Launch drawn(Noise noise, Random& random) {
  std::normal_distribution<double> normal(0, 0.01);
  const auto happens = [&](double probability) { return std::bernoulli_distribution(probability)(random); };
  Launch launch{normal(random), normal(random)};
  switch (noise) {
    case Noise::normal:
      break;
    case Noise::third_slow:
      launch.eager += happens(1.0 / 3) ? std::log(1.5) : 0;
      break;
    case Noise::tenth_slow:
      launch.eager += happens(0.1) ? std::log(1.5) : 0;
      break;
    case Noise::heavy_tails: {
      std::student_t_distribution<double> tails(3);
      launch = {0.01 * tails(random), 0.01 * tails(random)};
      break;
    }
    case Noise::delays:
      launch.eager += happens(0.2) ? std::log1p(std::exponential_distribution<double>(1 / 0.3)(random)) : 0;
      break;
    case Noise::two_clocks:
      launch.graphs += happens(0.5) ? std::log(1.1) : 0;
      launch.eager += happens(0.5) ? std::log(1.1) : 0;
      break;
    case Noise::common_effect: {
      const double common = 5 * normal(random);
      launch = {launch.graphs + common, launch.eager + common};
      break;
    }
  }
  return launch;
}

// The true medians, of very many launches.
Launch truth_of(Noise noise) {
  constexpr int many = 400'001;
  Random random(1);
  std::vector<double> graphs, eager;
  for (int i = 0; i < many; ++i) {
    const Launch launch = drawn(noise, random);
    graphs.push_back(std::exp(launch.graphs));
    eager.push_back(std::exp(launch.eager));
  }
  return {model::median(graphs), model::median(eager)};
}

model::CellResult cell_of(const char* mode, const std::vector<double>& seconds,
                          const std::vector<double>& costs) {
  model::CellResult cell{};
  cell.cell.workload = "mlp";
  cell.cell.mode = mode;
  cell.cell.batch = 1;
  cell.status = model::CellStatus::ok;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    model::Launch& launch = cell.launches.emplace_back();
    launch.index = static_cast<std::int64_t>(i);
    launch.latency_seconds.emplace();
    launch.latency_seconds->p50 = seconds[i];
    launch.within.emplace();
    for (int placement = 0; placement < 2; ++placement) {  // the first one does not count
      launch.setups.emplace_back();
      launch.setups.back().capture_seconds = costs[i];
    }
    launch.setup = launch.setups.front();
  }
  return cell;
}

// The width of what earlier versions gave: Student's interval of the mean difference of pairs of logarithms.
double students_width(const std::vector<double>& graphs, const std::vector<double>& eager) {
  std::vector<double> logs[2];
  for (const double each : graphs) logs[0].push_back(std::log(each));
  for (const double each : eager) logs[1].push_back(std::log(each));
  const model::MeanDifference pairs = *model::paired(logs[0], logs[1]);
  return 2 * model::t_critical(0.025, pairs.freedom) * pairs.error;
}

}  // namespace

const std::vector<Noise>& all_noises() {
  static const std::vector<Noise> noises = {Noise::normal,       Noise::third_slow, Noise::tenth_slow,
                                            Noise::heavy_tails,  Noise::delays,     Noise::two_clocks,
                                            Noise::common_effect};
  return noises;
}

std::string name_of(Noise noise) {
  switch (noise) {
    case Noise::normal:
      return "normal, 1 %";
    case Noise::third_slow:
      return "1 in 3 of eager's takes 1.5 times as long";
    case Noise::tenth_slow:
      return "1 in 10 of eager's takes 1.5 times as long";
    case Noise::heavy_tails:
      return "Student's t with 3 degrees of freedom";
    case Noise::delays:
      return "1 in 5 of eager's delayed by Exp(30 %)";
    case Noise::two_clocks:
      return "two clocks, 10 % apart";
    case Noise::common_effect:
      return "5 % common to both launches";
  }
  return "";
}

GainRates gain_rates(Noise noise, int launches, int draws, std::uint64_t seed) {
  Random random(seed);
  const Launch truth = truth_of(noise);
  const double level = truth.graphs / truth.eager;  // so that the true ratio of medians is 1
  GainRates rates;
  double width = 0, students = 0;
  int with_even = 0;
  for (int draw = 0; draw < draws; ++draw) {
    std::vector<double> graphs, eager, costs;
    for (int i = 0; i < launches; ++i) {
      const Launch launch = drawn(noise, random);
      graphs.push_back(std::exp(launch.graphs));
      eager.push_back(level * std::exp(launch.eager));
      costs.push_back(10 * std::exp(std::normal_distribution<double>(0, 0.05)(random)));
    }
    std::vector<model::CellResult> cells = {cell_of("eager", eager, costs), cell_of("whole", graphs, costs)};
    model::summarize_cells(cells);
    const model::CellSummary& one = cells.back().summary;
    const double low = *one.speedup_ci95_low, high = *one.speedup_ci95_high, gain = *one.speedup_over_eager;
    rates.covered += low <= 1 && 1 <= high;
    rates.outside += gain < low || high < gain;
    rates.certain += low > 1;
    width += std::log(high / low);
    students += students_width(graphs, eager);
    for (double& each : eager) each *= 1.1;
    cells = {cell_of("eager", eager, costs), cell_of("whole", graphs, costs)};
    model::summarize_cells(cells);
    const model::CellSummary& gains = cells.back().summary;
    if (!gains.breakeven_ci95_low) continue;
    ++with_even;
    const double even = 10 / (0.1 * truth.graphs);
    rates.even_covered +=
        std::floor(even) <= *gains.breakeven_ci95_high && *gains.breakeven_ci95_low <= std::ceil(even);
  }
  rates.covered /= draws;
  rates.outside /= draws;
  rates.certain /= draws;
  rates.width = width / students;
  rates.even_covered /= std::max(with_even, 1);
  return rates;
}

}  // namespace graphbench::simulation
