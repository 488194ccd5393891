// `--shape-trace FILE`: each line has the batch size and sequence length of one step.
#pragma once

#include <string>
#include <string_view>

#include "harness/options/options.hpp"

namespace graphbench::config {

// Reads lines such as "8 128": batch size, then sequence length, which either all lines have or none. A `#`
// begins a comment. Throws InputError, whose message begins with `path` ("steps.txt:3: ...").
model::ShapeTrace parse_shape_trace(const std::string& path, std::string_view content);
// Reads a file. Throws InputError(where, ...) if the file cannot be read.
model::ShapeTrace read_shape_trace(const std::string& where, const std::string& path);

// Reads --shape-trace, --shape-programs and --shape-recordings. Without them, the trace has no steps.
model::ShapeTrace shape_trace(const RawOptions& raw);

}  // namespace graphbench::config
