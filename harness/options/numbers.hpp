// Parses whole and real numbers, and the numbers of an axis: lists and ranges. A number must be the whole
// text, without trailing characters. All functions are pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphbench::options {

enum class NumberFault : std::uint8_t { none, malformed, overflow };

struct ParsedInteger {
  std::int64_t value = 0;
  NumberFault fault = NumberFault::none;
};

// Parses decimal digits with an optional leading minus.
ParsedInteger parse_integer(std::string_view text) noexcept;

struct IntegerRange {
  std::int64_t low;
  std::int64_t high;
};
// Returns the whole number `text`. Throws InputError if `text` is not a whole number in `range`. The message
// is the quoted text, then `advice` (" is not valid: give "), then the range.
std::int64_t parse_within(const std::string& where, const std::string& text, IntegerRange range,
                          const std::string& advice);

// Returns a finite decimal number, or nullopt for any other text.
std::optional<double> parse_real(std::string_view text) noexcept;

struct NumberRules {
  std::string noun;
  bool allow_zero = false;
  std::size_t values_max = 10'000;
};

// `text` is a comma-separated list of numbers and ranges: `1,2,4`, `1:256:x2` (geometric), `8:64:+8`
// (arithmetic). A range includes its end even if the steps miss it (1:100:x4 is 1,4,16,64,100). Values keep
// their order. Throws InputError for values that are empty, malformed, zero (unless allowed), negative, too
// large or duplicate, for a range that does not rise, and for more than `values_max` values.
std::vector<std::int64_t> parse_numbers(const std::string& where, std::string_view text,
                                        const NumberRules& rules);

}  // namespace graphbench::options
