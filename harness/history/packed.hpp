// Documents are mostly digits and repeat their keys: zlib makes them about a tenth.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace graphbench::history {

// Throw Error: internal where zlib fails, io where the bytes are not what `pack` made of `bytes` bytes.
std::string pack(std::string_view text);
std::string unpack(std::string_view packed, std::int64_t bytes);

}  // namespace graphbench::history
