// Whole and real numbers from text, whole texts only: no sign tricks, no trailing characters; and the numbers
// of an axis: lists, ranges, and both mixed. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphbench::config {

enum class NumberFault : std::uint8_t { none, malformed, overflow };

struct ParsedInteger {
  std::int64_t value = 0;
  NumberFault fault = NumberFault::none;
};

// Decimal digits with an optional leading minus.
ParsedInteger parse_integer(std::string_view text) noexcept;

struct IntegerRange {
  std::int64_t low;
  std::int64_t high;
};
// Throws InputError(where, ...): "\"x\"" and `advice`, which the range ends: " is not valid: give ".
std::int64_t parse_within(const std::string& where, const std::string& text, IntegerRange range,
                          const std::string& advice);

// A finite decimal number; absent for anything else.
std::optional<double> parse_real(std::string_view text) noexcept;

struct NumberRules {
  std::string noun;         // "batch": how messages call one value
  bool allow_zero = false;  // a warmup count may be 0
  std::size_t values_max = 10'000;
};

// `text` is a comma-separated list of numbers and ranges: `1,2,4`, `1:256:x2` (geometric), `8:64:+8`
// (arithmetic), `1:8:x2,100`. A range includes both ends: where the steps do not hit its end exactly,
// the end itself is the last value (1:100:x4 is 1,4,16,64,100). Values keep the order they are given in.
// Throws InputError(where, ...): empty, malformed, zero (unless allowed), negative, overflowing or
// duplicate values, a range that does not rise, more than `values_max` values.
std::vector<std::int64_t> parse_numbers(const std::string& where, std::string_view text,
                                        const NumberRules& rules);

}  // namespace graphbench::config
