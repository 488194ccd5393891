// The parts of a document that a comparison reads, under the names that this folder uses; and the facts that
// decide whether its numbers compare with another's, by the names that differences are listed and allowed by.
#pragma once

#include <string>
#include <vector>

#include "harness/model/codec/document.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/model/comparison.hpp"

namespace graphbench::compare {

using codec::CellState;
using codec::choice_prefix;
using codec::DeviceClocks;
using codec::Document;
using codec::DocumentCell;
using codec::DocumentFacts;
using codec::LaunchTimes;
using codec::library_prefix;
using codec::parse_document;
using codec::variable_prefix;

// Every name that --allow takes; "device" includes its kind, name and compute capability.
const std::vector<std::string>& allowable_fields();

// Lists what differs, in a stable order. Another device, plan, measuring method or (on the host, where it is
// the device) CPU is blocking, and so is a fingerprint that differs where nothing listed explains it. Another
// driver, library, tool, clock policy, variable of ours or choice of a library's algorithm (where both sides
// have it) is what people compare, so it is listed but not blocking. So is what the device's monitor saw,
// where both sides have it: a median SM clock that differs by more than 5 %, and each reason for throttling
// that only one side has.
std::vector<model::Difference> differences_of(const DocumentFacts& base, const DocumentFacts& now,
                                              const std::vector<std::string>& allow);

// True if every blocking difference is allowed.
bool comparable(const std::vector<model::Difference>& differences);

// The fields of the blocking differences that are not allowed.
std::vector<std::string> fields_in_the_way(const std::vector<model::Difference>& differences);

}  // namespace graphbench::compare
