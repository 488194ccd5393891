// The list of formats, whose printers are the files of reporters/formats, and numbers as they are shown.
#include "reporters/report.hpp"

#include <algorithm>
#include <cmath>

#include "graphs/base/text.hpp"
#include "printed_formats.hpp"

namespace graphbench::reporters {
namespace {

const std::vector<Format>& all_formats() {
  static const std::vector<Format> formats = [] {
    std::vector<Format> all = printed_formats();
    all.push_back({.name = "json", .what = "the document", .place = 3});
    std::ranges::sort(all, {}, &Format::place);
    return all;
  }();
  return formats;
}

std::vector<Format> formats_of(bool judges) {
  std::vector<Format> formats = all_formats();
  std::erase_if(formats, [&](const Format& format) { return format.judges && !judges; });
  return formats;
}

Value value_of(const std::optional<double>& value, std::string text) {
  return {.text = value ? std::move(text) : "-", .value = value};
}

}  // namespace

std::vector<std::string> format_names(bool judges) {
  std::vector<std::string> names;
  for (const Format& format : formats_of(judges)) names.emplace_back(format.name);
  return names;
}

std::string format_help(bool judges) {
  return join(formats_of(judges), "; ", [](const Format& format) {
    return std::string(format.name) + ": " + std::string(format.what);
  });
}

const Format& format_named(const std::string& name, bool judges) {
  require_known("--format", name, "format", format_names(judges));
  return *std::ranges::find(all_formats(), name, &Format::name);
}

Value seconds_value(const std::optional<double>& seconds) {
  return value_of(seconds, format_seconds(seconds.value_or(0)));
}

Value bytes_value(const std::optional<double>& bytes) {
  const double size = std::abs(bytes.value_or(0));
  return value_of(bytes, (bytes < 0 ? "-" : "") + format_bytes(std::llround(size)));
}

Value ratio_value(const std::optional<double>& ratio) {
  return value_of(ratio, format_ratio(ratio.value_or(1)));
}

Value percent_value(const std::optional<double>& fraction) {
  return value_of(fraction, percent_text(fraction));
}

Value count_value(std::int64_t count) {
  return value_of(static_cast<double>(count), std::to_string(count));
}

Value text_value(std::string text, Weight weight) {
  return {.text = std::move(text), .weight = weight};
}

}  // namespace graphbench::reporters
