// Parses a comparison's settings. Margins, floors and powers are lists of VALUE or METRIC=VALUE.
#include "harness/judge/compare/settings.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "graphs/base/text.hpp"
#include "harness/judge/compare/facts.hpp"
#include "harness/options/numbers.hpp"

namespace graphbench::judge {
namespace {

using Read = std::optional<double> (*)(std::string_view);

std::optional<double> read_percent(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  const std::optional<double> percent = options::parse_real(text.substr(0, text.size() - 1));
  if (!percent || *percent < 0 || *percent > 1000) return std::nullopt;
  return *percent / 100;
}

std::optional<double> read_slowdown(std::string_view text) {
  const std::optional<double> slowdown = read_percent(text);
  return slowdown && *slowdown > 0 ? slowdown : std::nullopt;
}

std::optional<double> read_seconds(std::string_view text) {
  if (text == "0") return 0;
  // "s" comes last, because all units end with it.
  for (const auto& [unit, seconds] :
       {std::pair{"ns", 1e-9}, std::pair{"us", 1e-6}, std::pair{"ms", 1e-3}, std::pair{"s", 1.0}}) {
    if (!text.ends_with(unit)) continue;
    const std::optional<double> count =
        options::parse_real(text.substr(0, text.size() - std::string_view(unit).size()));
    if (!count || *count < 0) return std::nullopt;
    return *count * seconds;
  }
  return std::nullopt;
}

// Returns the index of the metric `name`. Throws InputError if it is not in `metrics`. Accepts "capture" for
// the setup, because the capture is tested only as a part of the setup.
std::size_t metric_at(const std::string& flag, const std::string& name,
                      std::span<const model::Metric> metrics) {
  std::vector<std::string> names;
  for (const model::Metric metric : metrics) {
    names.push_back(name_of(metric));
    if (name == names.back() || (metric == model::Metric::setup && name == name_of(model::Metric::capture)))
      return static_cast<std::size_t>(metric);
  }
  throw InputError(flag, in_quotes(name) + " is not a tested metric: give one of " + join(names) +
                             did_you_mean(name, names));
}

struct Values {
  std::vector<std::optional<double>> own = std::vector<std::optional<double>>(model::all_metrics().size());
  std::optional<double> bare;
};

Values read_list(const std::string& flag, const std::string& text, Read read, const std::string& advice,
                 std::span<const model::Metric> metrics) {
  Values values;
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    std::optional<double>& value = equals == std::string::npos
                                       ? values.bare
                                       : values.own[metric_at(flag, part.substr(0, equals), metrics)];
    if (value) throw InputError(flag, in_quotes(text) + " gives a metric twice: give each metric once");
    value = read(std::string_view(part).substr(equals == std::string::npos ? 0 : equals + 1));
    if (!value) throw InputError(flag, in_quotes(part) + " is not " + advice);
  }
  return values;
}

void set_all(const Values& values, double model::MetricSettings::*member,
             model::ComparisonSettings& settings) {
  for (std::size_t i = 0; i < values.own.size(); ++i) {
    const std::optional<double>& value = values.own[i] ? values.own[i] : values.bare;
    if (value) settings.metrics[i].*member = *value;
  }
}

}  // namespace

void set_margins(const std::string& text, model::ComparisonSettings& settings) {
  set_all(read_list("--margin", text, read_percent,
                    "a margin: give e.g. 2%, or latency=2%,submit=5% (0 to 1000 %)", model::tested_metrics()),
          &model::MetricSettings::margin, settings);
}

void set_floors(const std::string& text, model::ComparisonSettings& settings) {
  set_all(read_list("--floor", text, read_seconds,
                    "a time: give e.g. 200ns, or latency=1us,submit=100ns (ns, us, ms or s)",
                    model::tested_metrics()),
          &model::MetricSettings::floor_seconds, settings);
}

void set_alpha(const std::string& text, model::ComparisonSettings& settings) {
  const std::optional<double> alpha = options::parse_real(text);
  if (!alpha || *alpha < 1e-6 || *alpha > 0.5) {
    throw InputError(
        "--alpha",
        in_quotes(text) + " is not a share of false alarms: give a number from 0.000001 to 0.5, e.g. 0.05");
  }
  settings.alpha = *alpha;
}

void set_required_power(const std::string& text, model::ComparisonSettings& settings) {
  const Values values = read_list("--require-power", text, read_slowdown,
                                  "a slowdown: give e.g. 5%, or 5%,submit=10%,setup=30% (above 0, to 1000 %)",
                                  model::mean_metrics);
  settings.require_power = values.bare;
  for (const model::Metric metric : model::mean_metrics) {
    const auto at = static_cast<std::size_t>(metric);
    settings.metrics[at].require_power = values.own[at];
  }
}

void set_allow(const std::string& text, model::ComparisonSettings& settings) {
  const std::vector<std::string>& known = allowable_fields();
  for (const std::string& name : split(text, ',')) {
    if (!contains(known, name)) {
      throw InputError("--allow", in_quotes(name) + " is not a field that can be allowed: give one of " +
                                      join(known) + did_you_mean(name, known));
    }
    settings.allow.push_back(name);
  }
}

}  // namespace graphbench::judge
