// From a result in memory to what a comparison reads of a document.
#pragma once

#include <string>

#include "harness/codec/document.hpp"
#include "harness/model/result.hpp"

namespace graphbench::codec {

// What parse_document() makes of the result's document. `source` names it in messages.
Document project(const model::Result& result, const std::string& source);

}  // namespace graphbench::codec
