// Gains of sweeps whose truth is known: how often their intervals hold it, and how often noise says "use it".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace graphbench::simulation {

// How the medians of launches vary, about 1 for graphs. Eager's are `gain` times as long, and vary as said.
enum class Noise : std::uint8_t {
  normal,         // 1 %, normal, in both
  third_slow,     // a third of eager's launches takes 1.5 times as long
  tenth_slow,     // a tenth of them does
  heavy_tails,    // Student's t with three degrees of freedom, 1 %, in both
  delays,         // a fifth of eager's launches is delayed by an exponential time of 30 %
  two_clocks,     // each launch of both runs at one of two clocks, 10 % apart
  common_effect,  // an effect of 5 % that the two launches with one index share
};
const std::vector<Noise>& all_noises();
std::string name_of(Noise noise);

struct GainRates {
  double covered = 0;  // of the gain's intervals, those that hold the ratio of the true medians
  double outside = 0;  // gains outside of their own interval
  double certain = 0;  // intervals that lie above 1 where the true ratio is 1
  double width = 0;    // the mean of log(high / low), divided by that of Student's on means of logarithms
  double even_covered = 0;  // of the break-even's intervals, those that hold the true one, at a gain of 1.1
};
GainRates gain_rates(Noise noise, int launches, int draws, std::uint64_t seed);

}  // namespace graphbench::simulation
