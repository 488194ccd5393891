// Checks names and lines, and cleans text from plugins.
#include "graphs/abi/text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace graphbench::abi {
namespace {

constexpr std::size_t kNameBytesMax = 64;
constexpr std::size_t kLineBytesMax = 512;

bool is_lower(char c) noexcept {
  return c >= 'a' && c <= 'z';
}

bool is_name_character(char c) noexcept {
  return is_lower(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

std::uint32_t byte_at(std::string_view text, std::size_t i) noexcept {
  return static_cast<unsigned char>(text[i]);
}

// Returns the number of bytes of the printable UTF-8 character that starts at `start`; 0 if there is none.
// Overlong forms, surrogates and code points past U+10FFFF are not characters (RFC 3629).
std::size_t printable_length(std::string_view text, std::size_t start) noexcept {
  const std::uint32_t first = byte_at(text, start);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || start + length > text.size()) return 0;
  std::uint32_t code_point = first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const std::uint32_t next = byte_at(text, start + i);
    if ((next & 0xC0u) != 0x80u) return 0;
    code_point = (code_point << 6) | (next & 0x3Fu);
  }
  const bool overlong = (length == 3 && code_point < 0x800) || (length == 4 && code_point < 0x10000);
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  const bool control = code_point < 0xA0;  // some terminals act on C1 controls too
  return overlong || surrogate || control || code_point > 0x10FFFF ? 0 : length;
}

}  // namespace

const char* const kNameRule =
    "a name is 1 to 64 lower-case letters, digits, '_' or '-' and starts with a letter";

bool is_name(std::string_view text) noexcept {
  return !text.empty() && text.size() <= kNameBytesMax && is_lower(text.front()) &&
         std::all_of(text.begin(), text.end(), is_name_character);
}

bool is_line(std::string_view text) noexcept {
  if (text.size() > kLineBytesMax) return false;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = printable_length(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string line;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = printable_length(text, i);
    if (line.size() + std::max<std::size_t>(length, 1) > kLineBytesMax) return line + "...";
    line += length == 0 ? std::string_view("?") : text.substr(i, length);
    i += std::max<std::size_t>(length, 1);
  }
  return line;
}

}  // namespace graphbench::abi
