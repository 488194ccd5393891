// Makes a Document, which a comparison reads, from a result in memory.
#pragma once

#include <string>

#include "harness/model/codec/document.hpp"
#include "harness/model/result.hpp"

namespace graphbench::codec {

// Makes the DocumentCell of a cell or ladder. Adds the monitor's readings around its launches to `clocks`.
DocumentCell fold(std::string id, const model::CellResult& cell, DeviceClocks& clocks);
DocumentFacts facts_of(const model::Result& head);

// Returns the Document that parse_document() returns for the result's JSON text. Messages name `source`.
Document project(const model::Result& result, const std::string& source);

}  // namespace graphbench::codec
