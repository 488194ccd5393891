// Code point by code point; utf8cpp says where they begin and end.
#include "graphs/base/unseen.hpp"

#include <utf8.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace graphbench::model {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

constexpr std::array<Range, 17> unseen = {{
    {0xAD, 0xAD},
    {0x34F, 0x34F},
    {0x61C, 0x61C},
    {0x115F, 0x1160},
    {0x17B4, 0x17B5},
    {0x180B, 0x180F},
    {0x200B, 0x200F},
    {0x202A, 0x202E},
    {0x2060, 0x206F},
    {0x3164, 0x3164},
    {0xFE00, 0xFE0F},
    {0xFEFF, 0xFEFF},
    {0xFFA0, 0xFFA0},
    {0xFFF0, 0xFFFB},
    {0x1BCA0, 0x1BCA3},
    {0x1D173, 0x1D17A},
    {0xE0000, 0xE0FFF},
}};

std::string hex(const char* format, char32_t c) {
  char text[16];
  std::snprintf(text, sizeof text, format, static_cast<unsigned>(c));
  return text;
}

void add(std::string& line, char32_t c, std::string_view as_written, Controls controls) {
  if (is_control(c)) {
    line += controls == Controls::blank ? " " : escape_of(c);
  } else if (is_unseen(c)) {
    line += escape_of(c);
  } else {
    line += as_written;
  }
}

}  // namespace

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
}

bool is_unseen(char32_t c) {
  return std::ranges::any_of(unseen, [c](const Range& range) { return c >= range.first && c <= range.last; });
}

std::string escape_of(char32_t c) {
  if (c < 0x80) return hex("\\x%02x", c);
  return c <= 0xFFFF ? hex("\\u%04x", c) : hex("\\U%08x", c);
}

std::string with_unseen_escaped(std::string_view text, Controls controls) {
  std::string line;
  line.reserve(text.size());
  auto at = text.begin();
  while (at != text.end()) {
    const auto valid_end = utf8::find_invalid(at, text.end());
    while (at != valid_end) {
      const auto begin = at;
      const char32_t c = utf8::unchecked::next(at);
      add(line, c, {begin, at}, controls);
    }
    if (at != text.end()) line += *at++;
  }
  return line;
}

}  // namespace graphbench::model
