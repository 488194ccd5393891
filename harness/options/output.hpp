// The places that commands write to: stdout and stderr, with their abilities; files, which are checked first
// and written last.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace graphbench::cli {

// Opens /dev/null on each of descriptors 0 to 2 that the caller closed, so that no file or pipe of ours
// takes its place. Ignores SIGPIPE and SIGXFSZ: a write that fails is reported where it is made.
void prepare_streams();

bool is_terminal(int descriptor);

// Whether stdout is a pipe whose reader has gone ("| head"), so that the missing output is not an error.
bool reader_is_gone();

// True for a terminal that is not "dumb", unless NO_COLOR is set and not empty (no-color.org).
bool wants_colours(int descriptor);

// Columns of the terminal, `fallback` where it is none.
int width_of(int descriptor, int fallback);

enum class Stdout : std::uint8_t { allowed, refused };  // whether "-" is taken, and means stdout

// Throws InputError, whose message begins with `where`, for a file that cannot be written.
void check_output_file(const std::string& where, const std::string& path, Stdout dash);

// Writes a document of `--json`; "-" is stdout. Throws std::system_error, or Error(io) with `where` first.
void write_document(const std::string& path, std::string_view document,
                    const std::string& where = "--json: ");

// True also if they are spelt differently: "r.json" and "./r.json". An empty path names no file.
bool same_file(const std::string& one, const std::string& other);

// True for json in `--format table|json`. Throws InputError for another word.
bool is_json(const std::string& format);

}  // namespace graphbench::cli
