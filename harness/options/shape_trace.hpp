// `--shape-trace FILE`: the batch sizes and sequence lengths of steps, in order, one per line.
#pragma once

#include <string>
#include <string_view>

#include "harness/options/options.hpp"

namespace graphbench::config {

// Reads lines such as "8 128": batch size and sequence length, the latter in all lines or in none; a `#`
// begins a comment. `path` begins every message ("steps.txt:3: ..."). Throws InputError.
model::ShapeTrace parse_shape_trace(const std::string& path, std::string_view content);
// Reads the file's lines. Throws InputError(where, ...) also if it cannot be read.
model::ShapeTrace read_shape_trace(const std::string& where, const std::string& path);

// The values of --shape-trace, --shape-programs and --shape-recordings; no steps if they are not given.
model::ShapeTrace shape_trace(const RawOptions& raw);

}  // namespace graphbench::config
