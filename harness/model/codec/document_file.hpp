// Reads a result document from a file or pipe, with the padding that the parser needs.
#pragma once

#include <cstdint>
#include <string>

#include "harness/model/codec/parse_document.hpp"

namespace graphbench::codec {

// Users must split a larger document into a folder of documents.
inline constexpr std::int64_t document_bytes_max = std::int64_t{1} << 30;

// Throws InputError with the file's name and the text of `error`, which is an errno.
[[noreturn]] void cannot_read(const std::string& path, int error);

// Throws InputError if the file cannot be read or is larger than document_bytes_max. Does not wait for a
// process that opens a named pipe for writing.
PaddedText read_text(const std::string& path);

}  // namespace graphbench::codec
