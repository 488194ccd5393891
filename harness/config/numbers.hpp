// Whole and real numbers from text, whole texts only: no sign tricks, no trailing characters.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace graphbench::config {

enum class NumberFault : std::uint8_t { none, malformed, overflow };

struct ParsedInteger {
  std::int64_t value = 0;
  NumberFault fault = NumberFault::none;
};

// Decimal digits with an optional leading minus.
ParsedInteger parse_integer(std::string_view text) noexcept;

// A finite decimal number; absent for anything else.
std::optional<double> parse_real(std::string_view text) noexcept;

}  // namespace graphbench::config
