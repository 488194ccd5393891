// From a result in memory to what a comparison reads of a document.
#pragma once

#include <string>

#include "harness/model/codec/document.hpp"
#include "harness/model/result.hpp"

namespace graphbench::codec {

// A cell or a ladder under its id. Adds what the device's monitor said around its launches to `clocks`.
DocumentCell fold(std::string id, const model::CellResult& cell, DeviceClocks& clocks);
// The facts in a result's head.
DocumentFacts facts_of(const model::Result& head);

// What parse_document() makes of the result's document. `source` names it in messages.
Document project(const model::Result& result, const std::string& source);

}  // namespace graphbench::codec
