// SHA-256 over text, for hashes that must be the same in every build.
#pragma once

#include <string>
#include <string_view>

namespace graphbench::model {

// 64 lower-case hex digits.
std::string sha256_hex(std::string_view text);

}  // namespace graphbench::model
