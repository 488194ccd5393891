// The files that --dump-graph writes for a cell: its graphs as JSON and DOT, with nodes named after ops, and
// the program before and after it is split.
#pragma once

#include <string>

#include "graphs/execution/executor.hpp"

namespace graphbench::worker {

// Captures the step again into new memory and writes FOLDER/ID.json, .dot, .before.txt and .after.txt, where
// ID has "_" instead of "/". Throws the exceptions of capturing, and Error(io).
void dump_graphs(const std::string& folder, const std::string& cell_id, execution::ExecutionMode mode,
                 execution::ExecutionContext context, std::int64_t batch);

}  // namespace graphbench::worker
