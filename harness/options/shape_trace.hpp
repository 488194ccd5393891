// Reads the file of `--shape-trace FILE`. Each line has the batch size and sequence length of one step.
#pragma once

#include <string>
#include <string_view>

#include "harness/options/options.hpp"

namespace graphbench::config {

// Reads lines such as "8 128": a batch size, then a sequence length, which all lines or none must have. `#`
// begins a comment. Throws InputError, whose message begins with `path` and the line ("steps.txt:3: ...").
model::ShapeTrace parse_shape_trace(const std::string& path, std::string_view content);
// Throws InputError(where, ...) if the file cannot be read.
model::ShapeTrace read_shape_trace(const std::string& where, const std::string& path);

// Without --shape-trace, returns no steps.
model::ShapeTrace shape_trace(const RawOptions& raw);

}  // namespace graphbench::config
