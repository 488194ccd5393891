// Formats numbers for the console. Rounds before it chooses the unit: 999.6 us reads "1.00ms", not "1000us".
#include "reporters/format.hpp"

#include <fmt/format.h>
#include <utf8.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "graphs/base/text.hpp"

namespace graphbench::reporters {
namespace {

constexpr char32_t replacement = 0xFFFD;

char32_t made_printable(char32_t c) {
  if (is_control(c)) return ' ';
  // XML does not allow the code points U+FFFE and U+FFFF.
  const bool no_character = (c & 0xFFFE) == 0xFFFE;
  return no_character ? replacement : c;
}

// Writes a value below 1000 with three significant digits, but at most two decimals.
std::string three_digits(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

std::string_view head_of(std::string_view text, int columns) {
  std::size_t end = 0;
  while (end < text.size()) {
    const bool starts = (static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U;
    if (starts && columns-- == 0) break;
    ++end;
  }
  return text.substr(0, end);
}

std::string cut(std::string_view text, int width) {
  if (width <= 0) return {};
  return columns_of(text) <= width ? std::string(text) : std::string(head_of(text, width - 1)) + "~";
}

std::string blanks(int count) {
  return std::string(static_cast<std::size_t>(count > 0 ? count : 0), ' ');
}

}  // namespace

int columns_of(std::string_view text) {
  int columns = 0;
  for (const char c : text) columns += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return columns;
}

std::string format_seconds(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 0) return "-" + format_seconds(-seconds);
  static constexpr std::array<std::pair<double, const char*>, 3> units = {
      {{1e9, "ns"}, {1e6, "us"}, {1e3, "ms"}}};
  for (const auto& [scale, unit] : units) {
    const double value = seconds * scale;
    if (value >= 999.5) continue;
    // The clock counts whole nanoseconds, so there is no fraction.
    return scale == 1e9 ? fmt::format("{:.0f}ns", value) : three_digits(value) + unit;
  }
  return three_digits(seconds) + "s";
}

std::string format_ratio(double ratio) {
  return std::isfinite(ratio) ? three_digits(ratio) + "x" : "-";
}

std::string percent_text(const std::optional<double>& fraction) {
  if (!fraction) return "-";
  const double percent = 100 * *fraction;
  return percent < 99.5 ? fmt::format("{:.2g} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string format_count(double count) {
  if (!std::isfinite(count)) return "-";
  const double rounded = std::ceil(count);
  if (rounded < 10000) return fmt::format("{:.0f}", rounded);
  if (rounded < 999.5e3) return three_digits(rounded / 1e3) + "k";
  if (rounded < 999.5e6) return three_digits(rounded / 1e6) + "M";
  return fmt::format("{:.0e}", rounded);
}

std::string format_rate(double rate) {
  return rate < 999.5 ? fmt::format("{:.3g}", rate) : format_count(rate);
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "?";
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  if (whole < 60) return fmt::format("{}s", whole);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole % 3600 / 60);
}

std::string format_bytes(std::int64_t bytes) {
  const double value = std::abs(static_cast<double>(bytes));
  const char* const sign = bytes < 0 ? "-" : "";
  if (value < 999.5e3) return fmt::format("{}{} kB", sign, three_digits(value / 1e3));
  if (value < 999.5e6) return fmt::format("{}{} MB", sign, three_digits(value / 1e6));
  return fmt::format("{}{} GB", sign, three_digits(value / 1e9));
}

std::string left(std::string_view text, int width) {
  std::string fitted = cut(one_line(text), width);
  return fitted + blanks(width - columns_of(fitted));
}

std::string right(std::string_view text, int width) {
  std::string fitted = cut(one_line(text), width);
  return blanks(width - columns_of(fitted)) + fitted;
}

std::string paint(std::string_view text, Colour colour, bool colours) {
  if (!colours || text.empty()) return std::string(text);
  static constexpr std::array codes = {1, 2, 31, 32, 33};
  return fmt::format("\033[{}m{}\033[0m", codes.at(static_cast<std::size_t>(colour)), text);
}

std::string one_line(std::string_view text) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F; };
  if (std::ranges::all_of(text, is_plain)) return std::string(text);
  return with_unseen_escaped(text, Controls::blank);
}

std::string printable(std::string_view text, std::size_t length_max) {
  std::string valid;
  valid.reserve(text.size());
  utf8::replace_invalid(text.begin(), text.end(), std::back_inserter(valid), replacement);
  std::string line;
  line.reserve(valid.size());
  std::size_t length = 0;
  for (auto at = valid.begin(); at != valid.end();) {
    const char32_t c = made_printable(utf8::next(at, valid.end()));
    if (++length == length_max && at != valid.end()) {
      utf8::append(static_cast<char32_t>(0x2026), std::back_inserter(line));
      break;
    }
    if (is_unseen(c)) {
      line += escape_of(c);
    } else {
      utf8::append(c, std::back_inserter(line));
    }
  }
  return line;
}

std::string csv_field(std::string_view text) {
  const std::optional<double> number = to_number<double>(text);
  const bool is_number = number && std::isfinite(*number);
  const bool is_formula = !is_number && text.find_first_of("=+-@\t") == 0;
  const std::string safe = (is_formula ? "'" : "") + with_unseen_escaped(text, Controls::escaped);
  if (safe.find_first_of(",\"") == std::string::npos) return safe;
  std::string quoted = "\"";
  for (const char c : safe) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace graphbench::reporters
