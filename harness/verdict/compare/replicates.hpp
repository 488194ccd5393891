// One number a launch and metric, of both sides of a cell. Internal to harness/compare.
#pragma once

#include <vector>

#include "harness/verdict/compare/documents.hpp"
#include "harness/verdict/compare/judge.hpp"

namespace graphbench::compare {

// Whether each launch's index says which it is: then those of an interleaved run can be paired.
bool indices_are_unique(const std::vector<LaunchTimes>& launches);

// The launches of both sides that have the metric; of an interleaved run, those that have a partner, and all
// of them, `partnerless`, where none has. A side that lacks the metric is empty.
Replicates replicates_of(const DocumentCell& base, const DocumentCell& now, model::Metric metric,
                         bool interleaved);

}  // namespace graphbench::compare
