// Where TOML may not have a letter beyond ASCII: outside strings and comments.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace graphbench::config {

// The line, from 1, of the first byte beyond ASCII outside strings and comments. toml++ 3.3 runs
// into undefined behaviour on such letters (U+0185 in a bare key), so that it must not see them.
std::optional<std::size_t> line_of_misplaced_letter(std::string_view toml);

}  // namespace graphbench::config
