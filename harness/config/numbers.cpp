// std::from_chars with the rules a command line wants: all of the text, and finite.
#include "harness/config/numbers.hpp"

#include <charconv>
#include <cmath>

namespace graphbench::config {

ParsedInteger parse_integer(std::string_view text) noexcept {
  ParsedInteger parsed;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, parsed.value);
  if (error == std::errc::invalid_argument || stop != end) {
    parsed.fault = NumberFault::malformed;
  } else if (error == std::errc::result_out_of_range) {
    parsed.fault = NumberFault::overflow;
  }
  return parsed;
}

std::optional<double> parse_real(std::string_view text) noexcept {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace graphbench::config
