// A result document as a file or pipe: opened without waiting, its text with the room behind it that the
// parser wants; a large one a window of cells at a time, so that its text is never in memory as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "harness/codec/document.hpp"

namespace graphbench::codec {

// One document's text; larger ones are to be split into a folder.
inline constexpr std::int64_t document_bytes_max = std::int64_t{1} << 30;

// Throws InputError that names the file and the errno.
[[noreturn]] void cannot_read(const std::string& path, int error);

// Every call throws InputError where the file cannot be read.
class DocumentFile {
 public:
  // Does not wait for a writer of a named pipe: a pipe without one is empty.
  explicit DocumentFile(const std::string& path);
  DocumentFile(const DocumentFile&) = delete;
  DocumentFile& operator=(const DocumentFile&) = delete;
  ~DocumentFile();

  // The size of a regular file; 0 for a pipe, which does not know.
  std::size_t size() const;
  // How much of `bytes` was filled; less only at the end.
  std::size_t read(char* to, std::size_t bytes) const;

 private:
  std::string path_;
  int fd_;
};

// A text with text_padding bytes behind it. Not a std::string: that would write zeros over it all first.
struct PaddedText {
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<char, Free> bytes;
  std::size_t size = 0;

  std::string_view view() const { return {bytes.get(), size}; }
};

// To the end of the file. Throws InputError for one that cannot be read or has more than
// document_bytes_max.
PaddedText read_text(const std::string& path);

// Fills `bytes` from `to` on and returns how many there were; fewer only at the end of the text.
using ReadText = std::function<std::size_t(char* to, std::size_t bytes)>;

// What parse_document() makes of the text. Absent where the text cannot be cut between cells (one does not
// fit into a window, or they begin with different keys) and where anything is wrong with it:
// parse_document() of the whole text says what. The cuts are guesses, and the parser holds them to be
// right: each window must be a list of whole cells by itself, and the text without them a document whose list
// of cells begins where they were taken out. `threads` of them, 1 or more, are parsed at a time; `read` is
// called by the caller's. Throws what `read` throws.
std::optional<Document> parse_in_windows(const ReadText& read, const std::string& source,
                                         std::size_t window_bytes, std::size_t threads);

}  // namespace graphbench::codec
