// How often what a comparison says it finds is found by another comparison of the same machine.
#pragma once

#include <cstdint>

namespace graphbench::simulation {

// The share of fresh comparisons in which a change of the size that an earlier one printed as detectable
// is called slower: both of a sweep whose launches spread by 1 %.
double power_of_detectable(std::int64_t launches, std::int64_t comparisons, std::uint64_t seed);

}  // namespace graphbench::simulation
