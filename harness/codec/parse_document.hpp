// From the text of a result document to what a comparison reads of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/codec/document.hpp"

namespace graphbench::codec {

// How many bytes beyond the text must be readable: the parser reads whole vector registers.
inline constexpr std::size_t text_padding = 64;
// Containers within containers; a result document has nine.
inline constexpr int nesting_max = 64;

// Strict about JSON (all of the text is checked, also what is not read) and about the fields that are
// read; indifferent to others and to the order of fields. `text` is followed by text_padding readable
// bytes. Throws InputError, one line that names `source`, the place and the value, for anything
// else: damaged or foreign JSON, another schema version, times that are not positive, ok cells without
// launches, cell ids, launch indices or keys that repeat.
Document parse_document(std::string_view text, const std::string& source);
// The same for a text without room behind it.
Document parse_copy(std::string text, const std::string& source);

}  // namespace graphbench::codec
