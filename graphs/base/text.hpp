// Text that people read or typed: lists, quotes, unseen characters, near misses, the error about bad input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace graphbench {

template <std::ranges::input_range List, typename Value>
constexpr bool contains(const List& list, const Value& value) {
  return std::ranges::find(list, value) != std::ranges::end(list);
}

// "a, b, c"; `text_of` is called with each element, and returns what can be appended to a string.
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

// Splits at every separator, so there is one part more than separators: "a,,b" has three, "" has one.
std::vector<std::string> split(std::string_view text, char separator);

// C0 and C1 controls, DEL, and the line and paragraph separators.
bool is_control(char32_t c);
// True for characters that Unicode's Default_Ignorable_Code_Point lists (marks, embeddings, overrides and
// isolates of direction, blanks and joiners of no width, fillers, variation selectors, tags), and for
// interlinear annotation.
bool is_unseen(char32_t c);

// "\u202e", "\U000e0041".
std::string escape_of(char32_t c);
// The text with invisible characters escaped, and control characters as escapes or blanks. Bytes that are not
// UTF-8 stay.
enum class Controls : bool { blank, escaped };
std::string with_unseen_escaped(std::string_view text, Controls controls);

// `what()` reads "<where>: <detail>", one line; `where` is "--batch" or "sweep.toml:3: batch".
class InputError : public std::runtime_error {
 public:
  InputError(const std::string& where, const std::string& detail)
      : std::runtime_error(where.empty() ? detail : where + ": " + detail) {}
};

// The text in double quotes, with invisible characters escaped, so that a message stays one line.
std::string in_quotes(std::string_view text);

// At most `bytes_max` of the text, cut between characters.
std::string_view head_of(std::string_view text, std::size_t bytes_max);

// The known words within a third of the word's length in edits (at least one), the nearest first.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

// "; did you mean \"mlp\"?" or "", to end a message with.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

// Throws InputError(where) for a word that is not among `known`: "\"fast\" is not a `noun`: give ...".
void require_known(const std::string& where, const std::string& word, const std::string& noun,
                   const std::vector<std::string>& known);

// Writes a line on stderr: "graphbench: " and the rest as printf() formats it.
[[gnu::format(printf, 1, 2)]] void complain(const char* format, ...);

}  // namespace graphbench
