// Recognises a file of graphbench's history by its first bytes before SQLite opens it, and packs its
// documents, which zlib reduces to about a tenth.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace graphbench::history {

// "gbHi", in the header field that SQLite keeps for naming a file's owner.
inline constexpr std::int64_t application_id = 0x67624869;
// The version rises when the tables change in a way that an older graphbench cannot read.
inline constexpr std::int64_t schema_version = 1;

enum class FileState : std::uint8_t {
  absent,  // or empty, as a writer that was killed at once leaves it
  ours,
};

// Reads the first 100 bytes, writes nothing. Throws InputError for a file that is not a history: it is not a
// SQLite file, belongs to another program, was made by a newer graphbench, or cannot be read.
FileState inspect_file(const std::string& path);

// Throw Error: internal where zlib fails, io where the bytes are not what `pack` made of `bytes` bytes.
std::string pack(std::string_view text);
std::string unpack(std::string_view packed, std::int64_t bytes);

}  // namespace graphbench::history
