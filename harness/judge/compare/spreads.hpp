// Each cell's spread, as the launches of all cells show it. Pure.
#pragma once

#include <span>

#include "harness/judge/compare/judge.hpp"

namespace graphbench::compare {

// Replaces the error and the freedom of each trial's difference, metric by metric. A family follows what all
// families have in common, a member follows its family, each as closely as the others do
// (harness/judge/compare/spread_prior.hpp). A member is never taken to be quieter than its family: that is
// how launches of two speeds look where a few happened to agree. Cells of one ladder share what happens to
// their processes, so together they know no more of it than one of them: freedom is counted once a ladder.
void share_spreads(std::span<Trial> trials);

}  // namespace graphbench::compare
