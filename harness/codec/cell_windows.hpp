// A large result document read a window of cells at a time: neither its text nor the parser's index of it,
// which is nearly as large, is ever in memory as a whole.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "harness/codec/document.hpp"

namespace graphbench::codec {

// Fills `bytes` from `to` on and returns how many there were; fewer only at the end of the text.
using ReadText = std::function<std::size_t(char* to, std::size_t bytes)>;

// What parse_document() makes of the text. Absent where the text cannot be cut between cells (one does not
// fit into a window, or they begin with different keys) and where anything is wrong with it:
// parse_any_document() of the whole text says what. The cuts are guesses, and the parser holds them to be
// right: each window must be a list of whole cells by itself, and the text without them a document whose list
// of cells begins where they were taken out. Throws what `read` throws.
std::optional<Document> parse_in_windows(const ReadText& read, const std::string& source,
                                         std::size_t window_bytes);

}  // namespace graphbench::codec
