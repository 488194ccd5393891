// Decides by facts, such as the device's name, whether two results are comparable.
#pragma once

#include <string>
#include <vector>

#include "harness/model/codec/document.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/model/comparison.hpp"

namespace graphbench::judge {

using model::CellStatus;
using model::choice_prefix;
using model::DeviceClocks;
using model::Document;
using model::DocumentCell;
using model::DocumentFacts;
using model::LaunchTimes;
using model::library_prefix;
using model::parse_document;
using model::variable_prefix;

// Every name that --allow accepts; "device" covers device kind, device name and compute capability.
const std::vector<std::string>& allowable_fields();

// Lists the differences in a fixed order. These block: device, plan, concurrently measured devices, method,
// CPU and cores if the device is the host, and a fingerprint whose difference no listed field explains.
// These do not block, because people compare them: driver, libraries, tool, clock policy, GRAPHBENCH_*
// variables, and library choices if both sides record them. Nor do these, if both sides have a device
// monitor: median SM clocks that differ by more than 5 %, and a throttling reason that only one side has.
std::vector<model::Difference> differences_of(const DocumentFacts& base, const DocumentFacts& now,
                                              const std::vector<std::string>& allow);

// How one side was disturbed and the other was not, by load averages, shared cores, SM clocks and throttling:
// "NEW ran beside other work (load 6.1 against 0.3)". Empty: not so, or not known.
std::string disturbance_of(const DocumentFacts& base, const DocumentFacts& now,
                           const std::vector<model::Difference>& differences);

// True if every blocking difference is allowed.
bool comparable(const std::vector<model::Difference>& differences);

// The fields of the blocking differences that are not allowed.
std::vector<std::string> fields_in_the_way(const std::vector<model::Difference>& differences);

}  // namespace graphbench::judge
