// Parses numbers with std::from_chars. An entry of a list is a number or a range. Error messages show the
// entry and a valid form.
#include "harness/options/numbers.hpp"

#include <charconv>
#include <cmath>
#include <unordered_set>

#include "graphs/base/text.hpp"

namespace graphbench::options {

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

std::int64_t parse_within(const std::string& where, const std::string& text, IntegerRange range,
                          const std::string& advice) {
  const ParsedInteger parsed = parse_integer(text);
  if (parsed.fault == NumberFault::none && parsed.value >= range.low && parsed.value <= range.high)
    return parsed.value;
  throw InputError(
      where, in_quotes(text) + advice + std::to_string(range.low) + " to " + std::to_string(range.high));
}

std::optional<double> parse_real(std::string_view text) noexcept {
  const std::optional<double> value = to_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

namespace {

class NumberListParser {
 public:
  NumberListParser(const std::string& where, const NumberRules& rules) : where_(where), rules_(rules) {}

  std::vector<std::int64_t> parse(std::string_view text) {
    if (text.empty()) refuse(text, "is not a list");
    for (const std::string& part : split(text, ',')) entry(part);
    return std::move(values_);
  }

 private:
  [[noreturn]] void refuse(std::string_view entry, const std::string& why) const {
    const std::string numbers = rules_.allow_zero ? "whole numbers from 0 up" : "positive whole numbers";
    const std::string example = rules_.allow_zero ? "0,1,3,10 or 0:8:+2" : "1,2,4 or 1:256:x2";
    throw InputError(where_, in_quotes(entry) + " " + why + ": give " + numbers + ", e.g. " + example);
  }

  std::int64_t value(std::string_view text, std::string_view entry) const {
    const ParsedInteger parsed = parse_integer(text);
    if (parsed.fault == NumberFault::overflow) refuse(entry, "is too large for a " + rules_.noun);
    const bool too_small = parsed.value < (rules_.allow_zero ? 0 : 1);
    if (parsed.fault == NumberFault::malformed || too_small) refuse(entry, "is not a " + rules_.noun);
    return parsed.value;
  }

  void add(std::int64_t number, std::string_view entry) {
    if (!seen_.insert(number).second) {
      throw InputError(where_, std::to_string(number) + " is given twice (in " + in_quotes(entry) +
                                   "): give each " + rules_.noun + " once");
    }
    if (values_.size() == rules_.values_max) {
      throw InputError(where_, "with " + in_quotes(entry) + " the list has more than " +
                                   std::to_string(rules_.values_max) +
                                   " values: give fewer values, or a larger step");
    }
    values_.push_back(number);
  }

  void entry(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
      add(value(text, text), text);
    } else {
      range(text, colon);
    }
  }

  void range(std::string_view text, std::size_t first_colon) {
    const std::size_t second_colon = text.find(':', first_colon + 1);
    if (second_colon == std::string_view::npos || second_colon + 2 >= text.size()) {
      refuse(text, "is not a range FIRST:LAST:xFACTOR or FIRST:LAST:+STEP");
    }
    const char kind = text[second_colon + 1];
    if (kind != 'x' && kind != '+') refuse(text, "is not a range FIRST:LAST:xFACTOR or FIRST:LAST:+STEP");
    const std::int64_t first = value(text.substr(0, first_colon), text);
    const std::int64_t last = value(text.substr(first_colon + 1, second_colon - first_colon - 1), text);
    const ParsedInteger step = parse_integer(text.substr(second_colon + 2));
    const bool geometric = kind == 'x';
    if (step.fault != NumberFault::none || step.value < (geometric ? 2 : 1)) {
      refuse(text, geometric ? "has a factor that is not a whole number from 2 up"
                             : "has a step that is not a whole number from 1 up");
    }
    if (geometric && first == 0) refuse(text, "multiplies 0, which stays 0: begin at 1 or more");
    if (last < first) refuse(text, "has an end below its start");
    expand(text, first, last, step.value, geometric);
  }

  void expand(std::string_view text, std::int64_t first, std::int64_t last, std::int64_t step,
              bool geometric) {
    std::int64_t current = first;
    while (true) {
      add(current, text);
      // Divides or reduces `last`, because multiplying or increasing `current` could overflow.
      const bool past_end = geometric ? current > last / step : current > last - step;
      if (past_end) break;
      current = geometric ? current * step : current + step;
    }
    if (current != last) add(last, text);
  }

  const std::string& where_;
  const NumberRules& rules_;
  std::vector<std::int64_t> values_;
  std::unordered_set<std::int64_t> seen_;
};

}  // namespace

std::vector<std::int64_t> parse_numbers(const std::string& where, std::string_view text,
                                        const NumberRules& rules) {
  return NumberListParser(where, rules).parse(text);
}

}  // namespace graphbench::options
