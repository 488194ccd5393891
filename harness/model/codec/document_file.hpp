// A result document as a file or pipe, read whole with the room behind it that the parser wants.
#pragma once

#include <cstdint>
#include <string>

#include "harness/model/codec/parse_document.hpp"

namespace graphbench::codec {

// One document's text; larger ones are to be split into a folder.
inline constexpr std::int64_t document_bytes_max = std::int64_t{1} << 30;

// Throws InputError that names the file and the errno.
[[noreturn]] void cannot_read(const std::string& path, int error);

// Throws InputError for a file that cannot be read or has more than document_bytes_max. No writer of a named
// pipe is waited for.
PaddedText read_text(const std::string& path);

}  // namespace graphbench::codec
