// Ladders, suggestions and the best modes as a Report; ladders as Prometheus series.
#pragma once

#include <string>
#include <vector>

#include "harness/ladder/ladder.hpp"
#include "reporters/prometheus_text.hpp"
#include "reporters/report.hpp"

namespace graphbench::ladder {

// Has the numbers of each ladder's first launch.
reporters::Report report_of(const LadderFindings& findings);

const std::vector<reporters::Family<Ladder>>& ladder_families();

// The series of all ladders in the Prometheus text format. A ladder without launches has no series.
std::string ladders_text(const std::string& device, const std::vector<Ladder>& ladders);

}  // namespace graphbench::ladder
