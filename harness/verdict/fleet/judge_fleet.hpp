// From tables of times to factors, spreads and outliers. Pure.
#pragma once

#include "harness/model/fleet.hpp"
#include "harness/verdict/fleet/replicas.hpp"

namespace graphbench::fleet {

// A document's factors are row effects (statistics::row_effects) of its logarithms: device times are the
// GPU's, submit times the node's, each the median of its documents'. Cells whose submit takes half of the
// device time or more, in the middle document, are left out of device factors unless all are such: there a
// slow CPU would look like a slow GPU. Slow outliers of both kinds (statistics::slow_ones) together have the
// error rate `alpha`.
model::Fleet judge_fleet(const Replicas& replicas, double alpha);

}  // namespace graphbench::fleet
