// Checks and cleans the text that crosses the plugin boundary: names for flags and result documents, and
// lines for terminals and JSON.
#pragma once

#include <string>
#include <string_view>

namespace graphbench::abi {

// True if `text` obeys kNameRule. The rule is strict because names are in flags, cell ids and metric labels.
bool is_name(std::string_view text) noexcept;

extern const char* const kNameRule;

// True for an empty text, and for one line of UTF-8 without control characters, at most 512 bytes.
bool is_line(std::string_view text) noexcept;

// Control characters and bytes that are not UTF-8 become '?'; text longer than 512 bytes ends in "...".
std::string printable(std::string_view text);

}  // namespace graphbench::abi
