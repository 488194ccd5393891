// The result document `graphbench.result/1`: one model::Result as JSON text, valid against
// reporters/schema/result.schema.json.
#pragma once

#include <string>

#include "harness/model/result.hpp"

namespace graphbench::reporters {

// UTF-8, one cell a line, a newline at the end. A missing value is null; `reason` is absent where a
// cell is ok. Numbers that are not finite become null, and a summary that holds one becomes null as a
// whole. A cell still pending is written as skipped, reason `interrupted`. Bytes that are not UTF-8
// are replaced by U+FFFD.
std::string to_json(const model::Result& result);

// One cell as it stands there, on one line without its end.
std::string to_json(const model::CellResult& cell);

}  // namespace graphbench::reporters
