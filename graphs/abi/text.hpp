// The text that may cross the plugin boundary: names that fit flags and result documents, and lines that fit
// a terminal and JSON.
#pragma once

#include <string>
#include <string_view>

namespace graphbench::abi {

// A name of a workload, preset, option or op kind: 1 to 64 lower-case letters, digits, '_' and '-',
// starting with a letter. They are narrow because they appear in flags, cell ids and metric labels.
bool is_name(std::string_view text) noexcept;

// The sentence that errors append where `is_name` refuses.
extern const char* const kNameRule;

// One line of well-formed UTF-8 without control characters, at most 512 bytes; may be empty.
bool is_line(std::string_view text) noexcept;

// Makes a plugin's text fit one line of an error: control characters and bytes that are not UTF-8 become '?',
// and text longer than 512 bytes ends in "...".
std::string printable(std::string_view text);

}  // namespace graphbench::abi
