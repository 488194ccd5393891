// Makes the comparison's view of a document from a result in memory.
#pragma once

#include <string>

#include "harness/model/codec/document.hpp"
#include "harness/model/result.hpp"

namespace graphbench::codec {

// Projects a cell or a ladder. Adds the monitor's readings around its launches to `clocks`.
DocumentCell fold(std::string id, const model::CellResult& cell, DeviceClocks& clocks);
// Returns the facts in a result's head.
DocumentFacts facts_of(const model::Result& head);

// Returns what parse_document() makes of the result's document. Messages name `source`.
Document project(const model::Result& result, const std::string& source);

}  // namespace graphbench::codec
