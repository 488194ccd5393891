// `--shape-trace FILE`: the batch sizes and sequence lengths of steps, in order, a line each.
#pragma once

#include <string>
#include <string_view>

#include "harness/options/options.hpp"

namespace graphbench::config {

// "8 128" a line: batch size and sequence length, the latter in all lines or in none; what follows a `#` is a
// comment. `path` begins every message ("steps.txt:3: ..."). Throws InputError.
model::ShapeTrace parse_shape_trace(const std::string& path, std::string_view content);
// The file's. Throws InputError(where, ...) too, where it cannot be read.
model::ShapeTrace read_shape_trace(const std::string& where, const std::string& path);

// What --shape-trace, --shape-programs and --shape-recordings say; no steps where they are not given.
model::ShapeTrace shape_trace(const RawOptions& raw);

}  // namespace graphbench::config
