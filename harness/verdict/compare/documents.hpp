// The parts of a document that a comparison reads, under the names that this folder uses.
#pragma once

#include "harness/codec/document.hpp"
#include "harness/codec/parse_document.hpp"

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

}  // namespace graphbench::compare
