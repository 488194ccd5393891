// The outputs of commands: stdout, stderr and files. A file is checked at the start and written at the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace graphbench::options {

// If descriptor 0, 1 or 2 is closed, opens /dev/null there, so that no later file or pipe gets that number.
// Ignores SIGPIPE and SIGXFSZ, so that a failed write returns an error instead of ending the process.
void prepare_streams();

bool is_terminal(int descriptor);

// Whether stdout is a pipe whose reader has ended ("| head"). Missing output is then not an error.
bool reader_is_gone();

// True for a terminal that is not "dumb", unless NO_COLOR is set and not empty (no-color.org).
bool wants_colours(int descriptor);

int width_of(int descriptor, int fallback);

enum class Stdout : std::uint8_t { allowed, refused };  // whether "-" is accepted as stdout

// Throws InputError if the file cannot be written. The message begins with `where`.
void check_output_file(const std::string& where, const std::string& path, Stdout dash);

// Writes a document to `path`; "-" is stdout. Throws std::system_error for a file, Error(io) for stdout.
void write_document(const std::string& path, std::string_view document,
                    const std::string& where = "--json: ");

// Whether two paths, such as "r.json" and "./r.json", name the same file. An empty path names no file.
bool same_file(const std::string& one, const std::string& other);

// Reads the value of `--format table|json`. Throws InputError for any other word.
bool is_json(const std::string& format);

}  // namespace graphbench::options
