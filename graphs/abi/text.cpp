// Checks names and lines, and cleans text from plugins.
#include "graphs/abi/text.hpp"

#include <utf8.h>

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

// Returns the number of bytes of the printable UTF-8 character that starts at `start`; 0 if there is none.
std::size_t printable_length(std::string_view text, std::size_t start) noexcept {
  const auto begin = text.begin() + static_cast<std::ptrdiff_t>(start);
  auto end = begin;
  try {
    const std::uint32_t code_point = utf8::next(end, text.end());
    // Some terminals act on C1 controls too.
    const bool control = code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
    return control ? 0 : static_cast<std::size_t>(end - begin);
  } catch (const utf8::exception&) {
    return 0;
  }
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
