// Tests that draw again: they assume little, and the same input gives the same p value on every machine. All
// functions are pure. The inputs are logarithms of launch medians.
#pragma once

#include <cstddef>
#include <optional>
#include <random>
#include <span>

namespace graphbench::model {

// A Fisher-Yates shuffle, because std::shuffle differs between standard libraries.
void shuffle(std::span<double> values, std::mt19937_64& random);

// A nearly normal number: a sum of uniforms. std::normal_distribution differs between standard libraries.
double normal(std::mt19937_64& random);

// The p value of "NEW's values spread no more than BASE's": the share of 9,999 permutations of the absolute
// distances from each side's median (Brown & Forsythe 1974) that give NEW at least as large a sum. It holds
// its level whatever the two sides' common distribution is, where that of an F test needs a normal one.
double p_of_larger_spread(std::span<const double> base, std::span<const double> now);

// Values in two groups of at least two each.
struct TwoGroups {
  std::size_t upper = 0;  // number of values in the group of the larger ones
  double distance = 0;    // between the groups' means
  double p = 1;           // of so clear a split among as many normal values; above `level` only that
};

// The clearest split of the sorted values: the largest distance between the groups' means over the standard
// deviation within the groups, which counts as at least `spread_min`. Absent below five values. Draws samples
// until p is known to be above `level`, 9,999 at most.
std::optional<TwoGroups> two_groups(std::span<const double> values, double spread_min, double level);

}  // namespace graphbench::model
