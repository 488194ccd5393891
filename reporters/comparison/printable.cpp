// Code point by code point: what may stand in a line of Markdown, XML and a log.
#include "reporters/comparison/printable.hpp"

#include <fmt/format.h>
#include <utf8.h>

#include <iterator>

#include "harness/model/unseen.hpp"
#include "reporters/comparison/words.hpp"
#include "reporters/console/format.hpp"

namespace graphbench::reporters {
namespace {

constexpr char32_t replacement = 0xFFFD;

char32_t made_printable(char32_t c) {
  if (model::is_control(c)) return ' ';
  // XML has no way to write these two.
  const bool no_character = (c & 0xFFFE) == 0xFFFE;
  return no_character ? replacement : c;
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
    if (model::is_unseen(c)) {
      line += model::escape_of(c);
    } else {
      utf8::append(c, std::back_inserter(line));
    }
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
