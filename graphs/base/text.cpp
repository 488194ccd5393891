// Reads text by code points, with utf8cpp. For a misspelled word, finds the known word with the smallest edit
// distance, which counts insertions, deletions, replacements and swaps of adjacent characters.
#include "graphs/base/text.hpp"

#include <utf8.h>

#include <array>
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace graphbench {
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

void append_escaped(std::string& line, char32_t c, std::string_view as_written, Controls controls) {
  if (is_control(c)) {
    line += controls == Controls::blank ? " " : escape_of(c);
  } else if (is_unseen(c)) {
    line += escape_of(c);
  } else {
    line += as_written;
  }
}

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

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
      append_escaped(line, c, {begin, at}, controls);
    }
    if (at != text.end()) line += *at++;
  }
  return line;
}

namespace {

constexpr std::size_t shown_whole_max = 400;
constexpr std::size_t shown_bytes = 300;
constexpr std::size_t line_bytes_max = 4000;

// The line, or its first half and its end: a message of the system may have a path of any length in it.
std::string without_middle(std::string_view line) {
  if (line.size() <= line_bytes_max) return std::string(line);
  std::string_view end = line.substr(line.size() - shown_bytes);
  while (!end.empty() && (static_cast<unsigned char>(end.front()) & 0xC0U) == 0x80U) end.remove_prefix(1);
  return std::string(head_of(line, line_bytes_max / 2)) + " ... " + std::string(end);
}

std::string length_of(std::string_view text) {
  return " (" + std::to_string(text.size()) + " bytes)";
}

}  // namespace

std::string shortened(std::string_view text) {
  if (text.size() <= shown_whole_max) return std::string(text);
  return std::string(head_of(text, shown_bytes)) + "..." + length_of(text);
}

std::string in_quotes(std::string_view text) {
  const bool whole = text.size() <= shown_whole_max;
  const std::string shown = with_unseen_escaped(whole ? text : head_of(text, shown_bytes), Controls::escaped);
  return '"' + shown + (whole ? "\"" : "...\"" + length_of(text));
}

std::string_view head_of(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  while (bytes_max > 0 && (static_cast<unsigned char>(text[bytes_max]) & 0xC0U) == 0x80U) --bytes_max;
  return text.substr(0, bytes_max);
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  // A word this long is not a misspelling, and the edit distance takes quadratic time.
  if (word.size() > 64) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_edits = 0;
  for (const std::string& candidate : known) {
    const std::size_t distance = edits(word, candidate);
    const std::size_t allowed = std::max<std::size_t>(1, std::max(word.size(), candidate.size()) / 3);
    if (distance > allowed) continue;
    if (!best || distance < best_edits) {
      best = candidate;
      best_edits = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::optional<std::string> found = nearest(word, known);
  return found ? "; did you mean " + in_quotes(*found) + "?" : "";
}

void require_known(const std::string& where, const std::string& word, const std::string& noun,
                   const std::vector<std::string>& known) {
  if (contains(known, word)) return;
  throw InputError(
      where, in_quotes(word) + " is not a " + noun + ": give " + join(known) + did_you_mean(word, known));
}

std::string shortest_text(double value) {
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

void complain(const char* format, ...) {
  // Prints the line with one call, because threads and child processes write to stderr too.
  va_list arguments;
  va_start(arguments, format);
  char* line = nullptr;
  if (vasprintf(&line, format, arguments) >= 0)
    std::fprintf(stderr, "graphbench: %s\n", without_middle(line).c_str());
  va_end(arguments);
  std::free(line);
}

}  // namespace graphbench
