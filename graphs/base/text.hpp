// Helpers for text that people read or type: lists, numbers, quotes, invisible characters, typing errors,
// InputError.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace graphbench {

template <std::ranges::input_range List, typename Value>
constexpr bool contains(const List& list, const Value& value) {
  return std::ranges::find(list, value) != std::ranges::end(list);
}

template <std::ranges::input_range List, typename TextOf = std::identity>
std::string join(const List& list, std::string_view separator = ", ", TextOf text_of = {}) {
  std::string text;
  bool is_first = true;
  for (const auto& each : list) {
    if (!std::exchange(is_first, false)) text += separator;
    text += std::invoke(text_of, each);
  }
  return text;
}

// Splits at every separator: "a,,b" has three parts, "" has one.
std::vector<std::string> split(std::string_view text, char separator);

// The number as std::from_chars reads it. Absent unless the whole text is the number.
template <typename Number>
std::optional<Number> to_number(std::string_view text) noexcept {
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// C0 and C1 controls, DEL, and the line and paragraph separators.
bool is_control(char32_t c);
// True for Unicode's Default_Ignorable_Code_Point and for interlinear annotation.
bool is_unseen(char32_t c);

// "\u202e", "\U000e0041".
std::string escape_of(char32_t c);
// Escapes invisible characters. Escapes control characters, or replaces them by blanks. Keeps invalid UTF-8.
enum class Controls : bool { blank, escaped };
std::string with_unseen_escaped(std::string_view text, Controls controls);

// The text, or its first 300 bytes and its length if it has more than 400: a message names a value, and does
// not repeat all of it. in_quotes() and InputError do it with what they are given.
std::string shortened(std::string_view text);

// `what()` reads "<where>: <detail>", one line; `where` is "--batch" or "sweep.toml:3: batch".
class InputError : public std::runtime_error {
 public:
  InputError(const std::string& where, const std::string& detail)
      : std::runtime_error(where.empty() ? detail : shortened(where) + ": " + detail) {}
};

// Puts the text in double quotes, escapes invisible characters, and shortens it, so that a message stays one
// line that people can read.
std::string in_quotes(std::string_view text);

// The start of the text: at most `bytes_max` bytes, cut between characters.
std::string_view head_of(std::string_view text, std::size_t bytes_max);

// The known word with the smallest edit distance; absent if that distance exceeds max(1, longer length / 3).
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

// Returns the end of a message, "; did you mean \"mlp\"?", or "" if no known word is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

// Throws InputError(where) unless `known` contains the word: "\"fast\" is not a `noun`: give ...".
void require_known(const std::string& where, const std::string& word, const std::string& noun,
                   const std::vector<std::string>& known);

// The shortest text that parses to the same number, in every locale: 0.05 stays 0.05.
std::string shortest_text(double value);

// Prints "graphbench: ", the text as printf() formats it, and a newline to stderr.
[[gnu::format(printf, 1, 2)]] void complain(const char* format, ...);

}  // namespace graphbench
