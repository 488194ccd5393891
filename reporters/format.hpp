// Formats numbers and words for the console: three significant digits, fixed widths, colours on request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace graphbench::reporters {

// "847ns", "12.3us", "1.23ms", "45.6s": three significant digits, at most six columns.
std::string format_seconds(double seconds);
// "1.23x", "12.3x", "0.85x", "1234x".
std::string format_ratio(double ratio);
// "2.4 %" for the fraction 0.024, "-" if absent.
std::string percent_text(const std::optional<double>& fraction);
// "7", "847", "12.3k", "4.56M".
std::string format_count(double count);
// "0.214", "12.3", "847", "12.3k": three significant digits below 1000.
std::string format_rate(double rate);
// "43s", "2m10s", "1h05m".
std::string format_duration(double seconds);
// "315 MB", "27.4 MB".
std::string format_bytes(std::int64_t bytes);

// The width of valid UTF-8, counted in code points.
int columns_of(std::string_view text);
// Makes text one line, then pads with blanks, or cuts ("~" at the cut), to exactly `width` columns, counted
// in code points. Paint the text afterwards.
std::string left(std::string_view text, int width);
std::string right(std::string_view text, int width);

enum class Colour : std::uint8_t { bold, dim, red, green, yellow };
std::string paint(std::string_view text, Colour colour, bool colours);

// Makes text one line: replaces control characters by blanks, and other invisible characters by escapes. Each
// text of a document goes through it, or through left() or right(), on its way to a terminal.
std::string one_line(std::string_view text);

// Makes one line of valid UTF-8. Replaces broken sequences by U+FFFD and control characters by blanks, and
// escapes invisible characters. Cuts after `length_max` code points, with an ellipsis.
std::string printable(std::string_view text, std::size_t length_max = 500);

// The most characters of a name on one line.
inline constexpr std::size_t name_length_max = 240;

// A text of a document as one field of CSV. Spreadsheets run a text that begins with = + - @ or a tab as a
// formula, so it gets an apostrophe in front, unless it is a number. Escapes what no one sees.
std::string csv_field(std::string_view text);

}  // namespace graphbench::reporters
