// Numbers and words as the console shows them: three significant digits, fixed widths, colours on request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace graphbench::reporters {

// "847ns", "12.3us", "1.23ms", "45.6s": three significant digits, at most six columns.
std::string format_seconds(double seconds);
// "1.23x", "12.3x", "0.85x", "1234x".
std::string format_ratio(double ratio);
// "2.4 %" of a fraction, "-" if it is absent.
std::string percent_text(const std::optional<double>& fraction);
// "7", "847", "12.3k", "4.56M".
std::string format_count(double count);
// "43s", "2m10s", "1h05m": for people who wait.
std::string format_duration(double seconds);
// "315 MB", "27.4 MB".
std::string format_bytes(std::int64_t bytes);

// In code points.
int columns_of(std::string_view text);
// Padded with blanks or cut ("~" at the cut) to exactly `width` columns; counts code points.
std::string left(std::string_view text, int width);
std::string right(std::string_view text, int width);

enum class Colour : std::uint8_t { bold, dim, red, green, yellow };
std::string paint(std::string_view text, Colour colour, bool colours);

// Makes text one line for a terminal: control characters, also those of text direction, become blanks.
std::string one_line(std::string_view text);

}  // namespace graphbench::reporters
