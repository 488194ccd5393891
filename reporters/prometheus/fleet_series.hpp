// The series of a fleet (`graphbench fleet --prometheus-textfile`): a factor a GPU and node, a spread a cell,
// and none a cell and GPU, of which there are millions.
#pragma once

#include <string>
#include <vector>

#include "harness/model/fleet.hpp"
#include "reporters/prometheus/families.hpp"

namespace graphbench::reporters {

const std::vector<FamilyRow>& fleet_families();

// All of them in the text format.
std::string fleet_text(const model::Fleet& fleet);

}  // namespace graphbench::reporters
