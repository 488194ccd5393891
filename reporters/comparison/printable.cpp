// Code point by code point: what may stand in a line of Markdown, XML and a log.
#include "reporters/comparison/printable.hpp"

#include <fmt/format.h>
#include <utf8.h>

#include <iterator>

#include "reporters/comparison/words.hpp"
#include "reporters/console/format.hpp"

namespace graphbench::reporters {
namespace {

constexpr char32_t replacement = 0xFFFD;

char32_t made_printable(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
  if (control) return ' ';
  // Embeddings, overrides and isolates could make one name read as another.
  const bool turns_direction = c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
                               (c >= 0x2066 && c <= 0x2069);
  // XML has no way to write these two.
  const bool no_character = (c & 0xFFFE) == 0xFFFE;
  return turns_direction || no_character ? replacement : c;
}

}  // namespace

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
    utf8::append(c, std::back_inserter(line));
  }
  return line;
}

std::string metric_text(const model::MetricComparison& metric) {
  std::string text =
      fmt::format("{} {} -> {}, {}", name_of(metric.metric), format_seconds(metric.base_seconds),
                  format_seconds(metric.new_seconds), ratio_text(metric.ratio));
  if (metric.ratio_ci95_low && metric.ratio_ci95_high) {
    text += fmt::format(" {}, q {}", interval_text(metric), q_text(metric.q));
  }
  if (metric.p && metric.verdict == model::Verdict::inconclusive) text += ", finds " + finds_text(metric);
  return text;
}

}  // namespace graphbench::reporters
