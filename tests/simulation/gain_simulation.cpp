// graphbench_gain_simulation [DRAWS [SEED]]: prints how often the interval of a gain holds the truth.
#include <fmt/format.h>

#include <cstdlib>

#include "tests/simulation/gain_model.hpp"

int main(int argc, char** argv) {
  using namespace graphbench::simulation;
  const int draws = argc > 1 ? std::atoi(argv[1]) : 10'000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 7;
  fmt::print("{} draws per row, seed {}\n\n", draws, seed);
  fmt::print(
      "| launches are | n | holds the ratio of medians | gain outside | \"use\" at 1.00 | width, of "
      "Student's | even holds |\n| --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Noise noise : all_noises()) {
    for (const int launches : {3, 4, 5, 6, 8, 10, 20}) {
      const GainRates rates = gain_rates(noise, launches, draws, seed);
      fmt::print("| {} | {} | {:.1f} % | {:.1f} % | {:.1f} % | {:.2f} | {:.1f} % |\n", name_of(noise),
                 launches, 100 * rates.covered, 100 * rates.outside, 100 * rates.certain, rates.width,
                 100 * rates.even_covered);
    }
  }
  return EXIT_SUCCESS;
}
