// Finds where strings and comments of TOML begin and end, and parses nothing else.
#include "harness/config/toml_ascii.hpp"

#include <algorithm>

namespace graphbench::config {
namespace {

// The index after the string that begins at `begin`; its end may be missing.
std::size_t end_of_string(std::string_view toml, std::size_t begin) {
  const char quote = toml[begin];
  const std::string_view rest = toml.substr(begin);
  const bool many_lines = rest.size() >= 3 && rest[1] == quote && rest[2] == quote;
  std::size_t i = begin + (many_lines ? 3 : 1);
  for (; i < toml.size(); ++i) {
    if (toml[i] == '\\' && quote == '"') {
      ++i;  // whatever is escaped ends nothing
    } else if (toml[i] == '\n' && !many_lines) {
      return i;
    } else if (toml[i] == quote && !many_lines) {
      return i + 1;
    } else if (toml[i] == quote && i + 2 < toml.size() && toml[i + 1] == quote && toml[i + 2] == quote) {
      i += 3;
      // Up to two quotes may stand before the three that end it.
      for (int more = 0; more < 2 && i < toml.size() && toml[i] == quote; ++more) ++i;
      return i;
    }
  }
  return toml.size();
}

}  // namespace

std::optional<std::size_t> line_of_misplaced_letter(std::string_view toml) {
  std::size_t i = toml.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // a byte order mark
  while (i < toml.size()) {
    const char c = toml[i];
    if (c == '#') {
      i = std::min(toml.find('\n', i), toml.size());
    } else if (c == '"' || c == '\'') {
      i = end_of_string(toml, i);
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      const auto here = toml.begin() + static_cast<std::ptrdiff_t>(i);
      return 1 + static_cast<std::size_t>(std::count(toml.begin(), here, '\n'));
    } else {
      ++i;
    }
  }
  return std::nullopt;
}

}  // namespace graphbench::config
