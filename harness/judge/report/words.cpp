// Writes the parts of a comparison as text with three significant digits.
#include "harness/judge/report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/judge/compare/judge.hpp"
#include "harness/model/codec/document.hpp"
#include "harness/model/metrics.hpp"
#include "reporters/format.hpp"

namespace graphbench::judge {
namespace {

using model::Coverage;
using model::MetricComparison;
using model::Verdict;

std::string value_text(const std::string& value) {
  return value.empty() ? "(not said)" : reporters::printable(value, reporters::name_length_max);
}

std::string launches_text(const model::ComparisonSide& side) {
  if (side.launches_min == side.launches_max) {
    return fmt::format("{} launch{}", side.launches_max, side.launches_max == 1 ? "" : "es");
  }
  return fmt::format("{} to {} launches", side.launches_min, side.launches_max);
}

std::string lacks_text(const std::vector<model::Metric>& metrics, const char* side) {
  std::string names;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (i > 0) names += i + 1 < metrics.size() ? ", " : " and ";
    names += name_of(metrics[i]);
  }
  return names.empty() ? names
                       : fmt::format("{} {} not in {}", names, metrics.size() == 1 ? "is" : "are", side);
}

// True if both sides are the same result. advice() says so: a CI gate always passes if NEW is also BASE.
bool is_a_copy(const model::Comparison& comparison) {
  if (comparison.base.started_at.empty() || comparison.base.started_at != comparison.now.started_at)
    return false;
  std::int64_t metrics = 0;
  for (const model::CellComparison& cell : comparison.cells) {
    for (const MetricComparison& metric : cell.metrics) {
      if (metric.base_seconds != metric.new_seconds) return false;
      ++metrics;
    }
  }
  return metrics > 0;
}

bool lacks_launches(const model::Comparison& comparison) {
  return comparison.tests == 0 &&
         std::ranges::any_of(comparison.cells, [](const model::CellComparison& cell) {
           return std::ranges::any_of(cell.metrics, [](const MetricComparison& metric) {
             return std::min(metric.base_launches, metric.new_launches) == 1;
           });
         });
}

// The family may be empty in a comparison that a user wrote by hand.
std::string_view family_of(const model::CellComparison& cell) {
  return cell.family.empty() ? cell.id : cell.family;
}

// Writes at most six characters, so that ratios in columns stay apart.
std::string digits_of(double ratio) {
  if (ratio < 99.9995) return fmt::format("{:.3f}", ratio);
  return ratio < 99999.5 ? fmt::format("{:.0f}", ratio) : fmt::format("{:.0e}", ratio);
}

}  // namespace

std::string metric_text(const model::MetricComparison& metric) {
  std::string text =
      fmt::format("{} {} -> {}, {}", name_of(metric.metric), reporters::format_seconds(metric.base_seconds),
                  reporters::format_seconds(metric.new_seconds), ratio_text(metric.ratio));
  if (metric.ratio_ci95_low && metric.ratio_ci95_high) {
    text += fmt::format(" {}, q {}", interval_text(metric), q_text(metric.q));
  }
  if (metric.p && metric.verdict == model::Verdict::inconclusive) text += ", finds " + finds_text(metric);
  return text;
}

std::string mean_text(const model::MeanComparison& mean) {
  std::string text = fmt::format("{} {}", mean.mode, metric_text(mean.metric));
  const std::string metric = name_of(mean.metric.metric);
  text.insert(mean.mode.size() + 1 + metric.size(), fmt::format(" of {} cells", mean.cells));
  return text;
}

std::string verdict_text(const model::MeanComparison& mean) {
  const std::string verdict = name_of(mean.metric.verdict);
  return mean.less_steady ? verdict + ", " + model::less_steady_word : verdict;
}

std::string less_steady_text(const model::MeanComparison& mean) {
  if (!mean.less_steady) return "";
  return fmt::format("{} {}: the spread of launches is {} in NEW and {} in BASE", mean.mode,
                     name_of(mean.metric.metric), reporters::percent_text(mean.new_spread),
                     reporters::percent_text(mean.base_spread));
}

std::vector<std::string> odd_launch_texts(const model::Comparison& comparison) {
  std::vector<std::string> texts;
  for (const model::OddLaunch& odd : comparison.odd_launches) {
    const model::ComparisonSide& side = odd.in_new ? comparison.now : comparison.base;
    const std::string of =
        side.documents > 1 ? fmt::format(" of document {} of {}", odd.document + 1, side.documents) : "";
    texts.push_back(fmt::format("launch {}{} of {}: {} is {} that of the others, in most of {} cells",
                                odd.launch, of, odd.in_new ? "NEW" : "BASE", name_of(odd.metric),
                                ratio_text(odd.ratio), odd.cells));
  }
  return texts;
}

std::string two_states_text(const model::TwoStates& states) {
  return fmt::format("{} of {} launches of {} are {} slower than its others in {}: two states?",
                     states.slower, states.launches, states.in_new ? "NEW" : "BASE",
                     reporters::percent_text(states.ratio - 1), name_of(states.metric));
}

std::vector<Finding> findings(const model::Comparison& comparison, Verdict verdict) {
  std::vector<Finding> found;
  for (const model::CellComparison& cell : comparison.cells) {
    for (const MetricComparison& metric : cell.metrics) {
      if (metric.verdict == verdict) found.push_back({&cell, &metric});
    }
  }
  std::ranges::stable_sort(found, [&](const Finding& a, const Finding& b) {
    return verdict == Verdict::faster ? a.metric->ratio < b.metric->ratio : a.metric->ratio > b.metric->ratio;
  });
  return found;
}

void fold(const model::Comparison& comparison, std::vector<Finding>& found) {
  std::unordered_map<std::string_view, std::map<model::Metric, Finding*>> families;
  for (Finding& each : found) {
    const auto [place, is_new] = families[family_of(*each.cell)].try_emplace(each.metric->metric, &each);
    each.repeated = !is_new;
    place->second->alike += is_new ? 0 : 1;
    each.members = 0;
  }
  for (const model::CellComparison& cell : comparison.cells) {
    const auto family = families.find(family_of(cell));
    if (family == families.end()) continue;
    for (const MetricComparison& metric : cell.metrics) {
      const auto place = family->second.find(metric.metric);
      if (place != family->second.end()) ++place->second->members;
    }
  }
}

std::string count_text(const std::vector<Finding>& found) {
  const auto families = static_cast<std::size_t>(std::ranges::count(found, false, &Finding::repeated));
  std::string text = fmt::format("{} metric{}", found.size(), found.size() == 1 ? "" : "s");
  if (families < found.size()) text += fmt::format(" of {} famil{}", families, families == 1 ? "y" : "ies");
  return text;
}

std::string ratio_text(double ratio) {
  return digits_of(ratio) + "x";
}

std::string interval_text(const MetricComparison& metric) {
  if (!metric.ratio_ci95_low || !metric.ratio_ci95_high) return "-";
  return fmt::format("[{}, {}]", digits_of(*metric.ratio_ci95_low), digits_of(*metric.ratio_ci95_high));
}

std::string finds_text(const MetricComparison& metric) {
  return metric.p && !metric.detectable ? ">1000 %" : reporters::percent_text(metric.detectable);
}

std::string q_text(const std::optional<double>& q) {
  if (!q) return "-";
  return *q < 0.0001 ? "<0.0001" : fmt::format("{:.2g}", *q);
}

bool has_gaps(const model::CellComparison& cell) {
  return cell.coverage != Coverage::compared || !cell.lost.empty() || !cell.gained.empty();
}

std::string coverage_text(const model::CellComparison& cell) {
  const std::string reason = cell.reason.empty() ? "" : ": " + reporters::printable(cell.reason);
  switch (cell.coverage) {
    case Coverage::compared: {
      const std::string lost = lacks_text(cell.lost, "NEW");
      const std::string gained = lacks_text(cell.gained, "BASE");
      return lost + (lost.empty() || gained.empty() ? "" : "; ") + gained;
    }
    case Coverage::base_only:
      return "not in NEW" + (cell.regression ? "" : ", and not ok in BASE" + reason);
    case Coverage::new_only:
      return "not in BASE" + (cell.reason.empty() ? "" : ", and not ok in NEW" + reason);
    case Coverage::failed_now:
      return "failed in NEW" + reason;
    case Coverage::skipped_now:
      return "skipped in NEW" + reason;
    case Coverage::recovered:
      return "ok in NEW, but not in BASE" + reason;
    case Coverage::neither:
      break;
  }
  return "ok on neither side" + reason;
}

std::string changes_text(const model::CellComparison& cell) {
  std::string text;
  for (const model::Change& change : cell.changed) {
    const auto shown = [&](const std::string& value) {
      const auto bytes = change.name.ends_with("_bytes") ? to_number<std::int64_t>(value) : std::nullopt;
      return bytes ? reporters::format_bytes(*bytes) : reporters::printable(value);
    };
    text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", change.name, shown(change.base),
                        shown(change.now));
  }
  return text;
}

std::string throttle_text(const model::CellComparison& cell) {
  if (cell.base_throttle == cell.new_throttle) return "";
  const auto shown = [](const std::string& reasons) {
    return reasons.empty() ? "never" : reporters::printable(reasons);
  };
  return fmt::format("throttled: {} -> {}", shown(cell.base_throttle), shown(cell.new_throttle));
}

reporters::Value listed_value(model::Metric metric, const std::optional<double>& value) {
  if (!value) return {.text = "-"};
  const bool is_time = row_of(metric).kind == model::MetricKind::time;
  return {.text = is_time ? reporters::format_seconds(*value) : fmt::format("{:.4g}/s", *value),
          .value = value};
}

reporters::Value listed_ratio(const model::ListedMetric& listed) {
  if (!listed.base || !listed.now) return {.text = "-"};
  return {.text = ratio_text(*listed.now / *listed.base), .value = *listed.now / *listed.base};
}

std::string listed_text(const model::ListedMetric& listed) {
  const reporters::Value ratio = listed_ratio(listed);
  return name_of(listed.metric) + " " + listed_value(listed.metric, listed.base).text + " -> " +
         listed_value(listed.metric, listed.now).text + (ratio.value ? ", " + ratio.text : "");
}

std::string difference_text(const model::Difference& difference) {
  std::string text =
      difference.field + ": " + value_text(difference.base) + " -> " + value_text(difference.now);
  if (difference.blocking) {
    text += difference.allowed
                ? " (allowed)"
                : " (prevents the comparison; to allow it, give --allow " + difference.field + ")";
  }
  return text;
}

bool is_choice(const model::Difference& difference) {
  return difference.field.starts_with(model::choice_prefix);
}

namespace {

// Counts one op's differing choices, with the range of their first dimension: 8 in "matmul rows 8 ...".
struct OpChoices {
  std::int64_t count = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;

  void add(std::string_view key) {
    ++count;
    const std::size_t digit = key.find_first_of("0123456789");
    std::int64_t size = 0;
    if (digit == std::string_view::npos ||
        std::from_chars(key.data() + digit, key.data() + key.size(), size).ec != std::errc())
      return;
    least = std::min(least, size);
    most = std::max(most, size);
  }
  std::string text(const std::string& op) const {
    const std::string text =
        fmt::format("{} of {}", count, reporters::printable(op, reporters::name_length_max));
    if (most == 0) return text;
    return text + " with first dimension " +
           (least == most ? std::to_string(most) : fmt::format("{} to {}", least, most));
  }
};

}  // namespace

std::string choices_text(const model::Comparison& comparison) {
  std::map<std::string, OpChoices> by_op;
  std::int64_t all = 0;
  for (const model::Difference& difference : comparison.differences) {
    if (!is_choice(difference)) continue;
    const std::string key = difference.field.substr(model::choice_prefix.size());
    const std::size_t space = std::min(key.find(' '), key.size());
    by_op[key.substr(0, space)].add(std::string_view(key).substr(space));
    ++all;
  }
  if (all == 0) return "";
  const std::string ops = join(by_op, ", ", [](const auto& op) { return op.second.text(op.first); });
  return fmt::format("differs: {} library choice{} ({}); --format json shows all", all, all == 1 ? "" : "s",
                     ops);
}

std::string side_text(const model::ComparisonSide& side) {
  std::string text =
      reporters::printable(side.source, reporters::name_length_max) + ": " + value_text(side.device_name);
  if (!side.driver.empty())
    text += ", driver " + reporters::printable(side.driver, reporters::name_length_max);
  text += ", graphbench";
  if (!side.tool_version.empty())
    text += " " + reporters::printable(side.tool_version, reporters::name_length_max);
  if (!side.tool_commit.empty())
    text += fmt::format(" ({})", reporters::printable(side.tool_commit, reporters::name_length_max));
  text += fmt::format(", {} cell{}, {}", side.cells, side.cells == 1 ? "" : "s", launches_text(side));
  if (side.documents > 1) text += fmt::format(" from {} documents", side.documents);
  if (!side.started_at.empty())
    text += ", " + reporters::printable(side.started_at, reporters::name_length_max);
  return side.complete ? text : text + ", interrupted";
}

std::string settings_text(const model::ComparisonSettings& settings) {
  const auto one = [](const model::MetricSettings& metric) {
    return fmt::format("margin {}, floor {}", reporters::percent_text(metric.margin),
                       reporters::format_seconds(metric.floor_seconds));
  };
  const std::string first = one(settings.metrics[0]);
  std::string each;
  bool alike = true;
  for (const model::Metric metric : model::tested_metrics()) {
    const std::string text = one(settings.of(metric));
    alike = alike && text == first;
    each += (each.empty() ? "" : "; ") + name_of(metric) + " " + text;
  }
  return fmt::format("{}, alpha {:g}", alike ? first : each, settings.alpha);
}

namespace {

std::string slowdown_text(const std::optional<double>& slowdown) {
  return slowdown ? reporters::percent_text(slowdown) : std::string("more than 1000 %");
}

}  // namespace

std::string cells_found_text(const model::Comparison& comparison) {
  return join(worst_cells(comparison), ", ", [](const model::WorstCell& worst) {
    const std::string mode = reporters::printable(worst.mode, reporters::name_length_max);
    return slowdown_text(worst.slowdown_found) + (mode.empty() ? "" : " in ") + mode;
  });
}

std::string means_found_text(const model::Comparison& comparison) {
  std::vector<std::string> found;
  for (const model::Metric metric : model::mean_metrics) {
    if (std::ranges::none_of(comparison.means, [&](const model::MeanComparison& mean) {
          return mean.metric.metric == metric && mean.metric.p;
        }))
      continue;
    found.push_back(name_of(metric) + " " + slowdown_text(mean_slowdown_found(comparison, metric)));
  }
  return join(found);
}

std::string found_text(const model::Comparison& comparison) {
  const std::string cells = cells_found_text(comparison);
  if (cells.empty()) return "";
  const std::string means = means_found_text(comparison);
  return "in one cell's latency " + cells + (means.empty() ? "" : "; in the mean of a mode's cells " + means);
}

std::string required_text(const model::ComparisonSettings& settings) {
  std::vector<std::string> required;
  if (settings.require_power) required.push_back(reporters::percent_text(settings.require_power));
  for (const model::Metric metric : model::mean_metrics) {
    const std::optional<double>& wanted = settings.of(metric).require_power;
    if (wanted) required.push_back(name_of(metric) + "=" + reporters::percent_text(wanted));
  }
  return join(required, ",");
}

namespace {

// What can be typed: of `ab --until-decided`, no more launches than its last look has.
std::string remedy_text(const model::Comparison& comparison) {
  const bool paired = std::ranges::any_of(comparison.cells, [](const model::CellComparison& cell) {
    return std::ranges::any_of(cell.metrics, &MetricComparison::paired);
  });
  if (!paired) return "raise --launches, or stop other programs";
  const std::int64_t most = planned_looks.back();
  if (comparison.base.launches_max < most)
    return "raise --launches or --until-decided, or stop other programs";
  return fmt::format(
      "--until-decided takes at most {} launches per side: stop other programs, or require less", most);
}

}  // namespace

std::string power_text(const model::Comparison& comparison) {
  if (!comparison.comparable) return "";
  const std::string found = found_text(comparison);
  std::string text = found.empty() ? "" : "Slowdowns found in nine cases of ten: " + found;
  if (!powerful(comparison)) {
    text += (text.empty() ? "" : "; ") + ("--require-power " + required_text(comparison.settings)) +
            " is not met: " + remedy_text(comparison);
  }
  return text.empty() ? text : text + ".";
}

std::vector<std::string> advice(const model::Comparison& comparison) {
  std::vector<std::string> lines;
  if (!comparison.comparable) return lines;  // the headline says it
  const model::ComparisonCounts& counts = comparison.counts;
  if (is_a_copy(comparison)) {
    lines.emplace_back(
        "Both sides started at the same time and agree to the last digit: NEW is BASE, or a copy of BASE.");
  }
  if (counts.metrics_lost > 0) {
    lines.emplace_back("NEW lacks metrics that BASE has: find the reason, or measure NEW again.");
  }
  if (counts.coverage_regressions > counts.cells_lacking) {
    lines.emplace_back("NEW lacks cells that BASE has: find the reason, or sweep the same axes again.");
  }
  for (const model::Difference& difference : comparison.differences) {
    if (difference.field != "hostname" && difference.field != "device.uuid") continue;
    lines.push_back("The sides come from two machines (" + difference_text(difference) +
                    "): a difference may come from the machines.");
    break;
  }
  const auto throttled = std::ranges::count_if(
      comparison.cells, [](const auto& cell) { return cell.base_throttle != cell.new_throttle; });
  if (throttled > 0) {
    lines.push_back(fmt::format(
        "{} cell{} throttled differently on the two sides: a difference of these cells may come from the "
        "device's clock.",
        throttled, throttled == 1 ? " was" : "s were"));
  }
  if (!comparison.odd_launches.empty()) {
    lines.emplace_back(
        "A launch that is far from the others widens every interval and hides changes: find the disturbance, "
        "and measure again.");
  }
  if (!comparison.two_states.empty()) {
    lines.emplace_back(
        "Launches in two groups hide changes: find what differs between them (clocks, other work, a choice "
        "of "
        "the program), and measure again.");
  }
  if (any_slower(counts)) {
    lines.emplace_back(
        "'Slower' means slower by more than the margin, and not by chance. Only if the change is wanted, "
        "make NEW "
        "the baseline.");
  }
  if (lacks_launches(comparison)) {
    lines.emplace_back("One launch cannot show whether a change is chance.");
  } else if (counts.inconclusive > 0 && comparison.tests > 0) {
    lines.emplace_back(
        "'Inconclusive' does not mean 'same': use more --launches where that would decide, or a wider "
        "--margin.");
  }
  return lines;
}

}  // namespace graphbench::judge
