// The document `graphbench.floors/1`, valid against reporters/schema/floors.schema.json.
#pragma once

#include <string>

#include "harness/model/floors_document.hpp"

namespace graphbench::reporters {

std::string floors_document(const model::FloorsDocument& document);

}  // namespace graphbench::reporters
