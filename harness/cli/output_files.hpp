// Files that commands write: checked before anything is measured, written at the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace graphbench::cli {

enum class Stdout : std::uint8_t { allowed, refused };  // whether "-" is taken, and means stdout

// Throws InputError, whose message begins with `where`, for a file that cannot be written.
void check_output_file(const std::string& where, const std::string& path, Stdout dash);

// Writes a document of `--json`; "-" is stdout. Throws std::system_error, or Error(io) whose message begins
// with `where`.
void write_document(const std::string& path, std::string_view document,
                    const std::string& where = "--json: ");

// Also where they are spelt differently: "r.json" and "./r.json". An empty path names no file.
bool same_file(const std::string& one, const std::string& other);

}  // namespace graphbench::cli
