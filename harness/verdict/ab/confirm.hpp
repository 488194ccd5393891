// `--confirm`: what came out slower is measured again, and is slower only if it is so twice.
#pragma once

#include "harness/model/comparison.hpp"
#include "harness/model/plan.hpp"

namespace graphbench::ab {

// The plan's tasks whose cells have a metric that came out slower; whole tasks, because a cell's
// neighbours in its worker are part of how it was measured.
model::Plan plan_to_confirm(const model::Plan& plan, const model::Comparison& first);

// `slower` stays where `again` says so too, and becomes `inconclusive`, with both ratios, where it does
// not. Counts, verdict and headline follow.
void apply_confirmation(model::Comparison& first, const model::Comparison& again);

}  // namespace graphbench::ab
