// Writes the conclusions on modes: which mode to use at which batch, and piecewise's extra cost.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/findings/groups.hpp"
#include "harness/model/statistics/cell_summary.hpp"
#include "harness/model/statistics/mean_difference.hpp"
#include "harness/model/vocabulary.hpp"
#include "reporters/format.hpp"

namespace graphbench::model {
namespace {

using reporters::format_ratio;

// Eager's latency divided by a cell's. `rough`: `low` and `high` are not a confidence interval, but come from
// the spread of launches or steps.
struct Gain {
  const CellResult* cell;
  double ratio;
  double low;
  double high;
  bool rough;

  bool is_alike() const { return low >= 1 / (1 + gain_margin) && high <= 1 + gain_margin; }
  std::string ratio_text() const { return (rough ? "~" : "") + format_ratio(ratio); }
  std::string interval_text() const { return rough ? "" : fmt::format("[{:.2f}, {:.2f}]", low, high); }
  std::string text() const { return rough ? ratio_text() : ratio_text() + " " + interval_text(); }
};

std::optional<double> spread_of(const CellResult* cell) {
  if (cell == nullptr || !cell->summary.latency_seconds) return std::nullopt;
  const Estimate& latency = *cell->summary.latency_seconds;
  if (!latency.between_launches && !latency.within_launch) return std::nullopt;
  return std::max(latency.between_launches.value_or(0), latency.within_launch.value_or(0));
}

std::optional<Gain> gain_of(const CellGroup& group, const CellResult* cell) {
  if (cell == nullptr || !cell->summary.speedup_over_eager) return std::nullopt;
  const CellSummary& summary = cell->summary;
  const double ratio = *summary.speedup_over_eager;
  if (summary.speedup_ci95_low)
    return Gain{cell, ratio, *summary.speedup_ci95_low, *summary.speedup_ci95_high, false};
  const std::optional<double> own = spread_of(cell);
  const std::optional<double> eagers = spread_of(group.at(cell->cell.batch, reference_mode().name));
  const double factor = own && eagers ? std::exp(*own + *eagers) : INFINITY;
  return Gain{cell, ratio, ratio / factor, ratio * factor, true};
}

enum class Choice { graphs, eager, either, unknown };

// The mode to use at one batch, and the gain of the best graph mode, on which the choice depends.
struct ModeVerdict {
  Choice choice = Choice::unknown;
  std::optional<Gain> gain;
};

// Returns the mode to use at one batch. The best graph mode is the first of the plan, unless a later mode
// gains more and the intervals do not overlap.
ModeVerdict mode_verdict_at(const CellGroup& group, std::int64_t batch) {
  ModeVerdict verdict;
  for (const std::string& mode : group.graph_modes) {
    const std::optional<Gain> gain = gain_of(group, group.at(batch, mode));
    if (gain && (!verdict.gain || gain->low > verdict.gain->high)) verdict.gain = gain;
  }
  if (!verdict.gain) return verdict;
  const Gain& best = *verdict.gain;
  if (best.rough) return verdict;  // processes differ by more than the steps of one
  if (best.is_alike()) {
    verdict.choice = Choice::either;
  } else if (best.low > 1) {
    verdict.choice = Choice::graphs;
  } else if (best.high < 1) {
    verdict.choice = Choice::eager;
  }
  return verdict;
}

// The half width of an interval of `launches`, up to a factor.
double width_at(std::int64_t launches) {
  const auto count = static_cast<double>(launches);
  return t_critical(0.025, count - 1) / std::sqrt(count);
}

// More launches than this times the plan's are not advised.
constexpr std::int64_t launches_factor_max = 10;

// Returns the number of launches that would decide, because their interval would lie above 1, below 1, or
// within gain_margin. Absent: more than launches_factor_max times as many.
std::optional<std::int64_t> launches_needed(const Gain& gain, std::int64_t launches) {
  const double distance = std::abs(std::log(gain.ratio));
  const double wanted = std::max(distance, std::log1p(gain_margin) - distance);
  const double width = std::log(gain.high / gain.low) / 2 / width_at(launches);
  for (std::int64_t count = launches + 1; count <= launches_factor_max * launches; ++count) {
    if (width * width_at(count) <= wanted) return count;
  }
  return std::nullopt;
}

// Returns what to do if the launches do not decide between graphs and eager.
std::string advice_of(const std::vector<Gain>& gains, const Result& result, Conclusion& conclusion) {
  const std::int64_t launches = result.plan.launches;
  std::int64_t needed = launches + 1;
  for (const Gain& gain : gains) {
    const std::optional<std::int64_t> count = launches_needed(gain, launches);
    if (!count)
      return fmt::format("not even --launches {} should show it", launches_factor_max * launches) +
             (is_busy(result.environment) ? ", and other work ran: stop it" : "");
    needed = std::max(needed, *count);
  }
  conclusion.figures["launches_needed"] = static_cast<double>(needed);
  return fmt::format("--launches {} (now {}) should show it", needed, launches);
}

// In how few processes a gain without an interval was seen, and what to do. Launches of a plan may have
// failed.
std::string processes_text(std::int64_t planned) {
  const std::string seen = planned == 1                       ? "one process"
                           : planned < launches_for_intervals ? fmt::format("{} processes", planned)
                                                              : "too few processes";
  return seen + "; processes differ: " + (planned < 5 ? "--launches 5" : "measure again");
}

std::string extremes(const std::vector<Gain>& gains, Conclusion& conclusion) {
  const auto [least, most] =
      std::ranges::minmax_element(gains, {}, [](const Gain& gain) { return gain.ratio; });
  const auto add = [&](const std::string& name, const Gain& gain) {
    conclusion.figures["gain_" + name] = gain.ratio;
    conclusion.figures["gain_" + name + "_batch"] = static_cast<double>(gain.cell->cell.batch);
    if (!gain.rough) {
      conclusion.figures["gain_" + name + "_ci95_low"] = gain.low;
      conclusion.figures["gain_" + name + "_ci95_high"] = gain.high;
    }
    const char* over = name == "max" ? " over eager" : "";  // once in the sentence
    return gain.text() + over + (gains.size() > 1 ? fmt::format(" at batch {}", gain.cell->cell.batch) : "");
  };
  std::string text = add("max", *most);
  if (least == most) return text;
  text += (gains.size() == 2 ? ", " : " down to ") + add("min", *least);
  const auto widest =
      std::ranges::max_element(gains, {}, [](const Gain& gain) { return gain.high / gain.low; });
  if (widest != least && widest != most && !widest->rough)
    text += "; least certain: " + add("widest", *widest);
  return text;
}

struct Choices {
  Choice choice;
  std::string mode;
  std::vector<std::int64_t> batches;
  std::vector<Gain> gains;
};

// Groups the batches by choice. Groups are in the order of their first batch.
std::vector<Choices> choices_of(const CellGroup& group) {
  std::vector<Choices> choices;
  for (const std::int64_t batch : group.batches) {
    const ModeVerdict verdict = mode_verdict_at(group, batch);
    if (!verdict.gain) continue;
    const std::string& mode = verdict.gain->cell->cell.mode;
    auto same = std::ranges::find_if(choices, [&](const Choices& each) {
      return each.choice == verdict.choice && (each.choice != Choice::graphs || each.mode == mode) &&
             each.gains.front().rough == verdict.gain->rough;
    });
    if (same == choices.end()) same = choices.insert(same, {verdict.choice, mode, {}, {}});
    same->batches.push_back(batch);
    same->gains.push_back(*verdict.gain);
  }
  return choices;
}

// Returns the mode to use, as a strip of batches shows it.
std::string choice_text(const Choices& choices, const Gain& gain) {
  switch (choices.choice) {
    case Choice::graphs:
      return gain.cell->cell.mode;
    case Choice::eager:
      return reference_mode().name;
    case Choice::either:
      return "either";
    case Choice::unknown:
      break;
  }
  return "unknown";
}

Conclusion conclusion_of(const CellGroup& group, const Choices& choices) {
  const std::string where = group.batches_text(choices.batches);
  Conclusion conclusion;
  switch (choices.choice) {
    case Choice::graphs:
      conclusion = group.conclusion("use_graphs");
      conclusion.text = fmt::format("Use {} at batch {}, for latency on an idle stream: {}.", choices.mode,
                                    where, extremes(choices.gains, conclusion));
      break;
    case Choice::eager:
      conclusion = group.conclusion("use_eager");
      conclusion.text = fmt::format("Use eager at batch {}: the best graphs gain {}.", where,
                                    extremes(choices.gains, conclusion));
      break;
    case Choice::either:
      conclusion = group.conclusion("use_either");
      conclusion.text = fmt::format("At batch {} graphs gain less than {:.0f} %, so either will do ({}).",
                                    where, 100 * gain_margin, extremes(choices.gains, conclusion));
      break;
    case Choice::unknown:
      conclusion = group.conclusion("cannot_tell");
      if (choices.gains.front().rough) {
        conclusion.text =
            fmt::format("At batch {} the best graphs gain {} in {}.", where,
                        extremes(choices.gains, conclusion), processes_text(group.result.plan.launches));
        break;
      }
      conclusion.text =
          fmt::format("At batch {} these launches do not show whether graphs or eager are faster ({})", where,
                      extremes(choices.gains, conclusion));
      // The host device has no graphs, so more launches there answer no question.
      if (group.result.environment.device.kind != "host")
        conclusion.text += ": " + advice_of(choices.gains, group.result, conclusion);
      conclusion.text += ".";
      break;
  }
  for (const Gain& gain : choices.gains)
    conclusion.shown.push_back(
        {"gain", choice_text(choices, gain), gain.cell->cell.batch, gain.ratio_text(), gain.interval_text()});
  conclusion.figures["batch_min"] = static_cast<double>(choices.batches.front());
  conclusion.figures["batch_max"] = static_cast<double>(choices.batches.back());
  for (const Gain& gain : choices.gains) conclusion.cells.push_back(id_of(gain.cell->cell));
  return conclusion;
}

// Adds a sentence if a captured step leaves out some of eager's work: the gain then has other causes, too.
void conclude_programs(const CellGroup& group, std::vector<Conclusion>& conclusions) {
  Conclusion conclusion = group.conclusion("two_programs");
  for (const std::string& mode : group.graph_modes) {
    for (const std::int64_t batch : group.batches) {
      const CellResult* cell = group.at(batch, mode);
      if (cell == nullptr || !cell->records || !leaves_out_work(*cell->records)) continue;
      if (conclusion.cells.empty()) {
        conclusion.text = fmt::format(
            "The gain does not come from graphs alone, because the programs differ: at batch {} in {}, {}.",
            batch, mode, program_text(*cell->records));
        conclusion.figures = {{"kernels", static_cast<double>(cell->records->kernels)},
                              {"eager_kernels", static_cast<double>(cell->records->eager_kernels)}};
      }
      conclusion.cells.push_back(id_of(cell->cell));
    }
  }
  if (!conclusion.cells.empty()) conclusions.push_back(std::move(conclusion));
}

// Says where a library's own mode took no graph, and where its graphs hold a part of the step.
void conclude_graphs(const CellGroup& group, std::vector<Conclusion>& conclusions) {
  for (const std::string& mode : group.graph_modes) {
    Conclusion none = group.conclusion("no_graph"), part = group.conclusion("graphed_in_part");
    std::vector<std::int64_t> without;
    for (const std::int64_t batch : group.batches) {
      const CellResult* cell = group.at(batch, mode);
      const auto in_part = cell == nullptr ? std::nullopt : graphed_in_part(*cell);
      if (cell == nullptr || !(in_part || took_no_graph(*cell))) continue;
      Conclusion& of = in_part ? part : none;
      of.cells.push_back(id_of(cell->cell));
      if (!in_part) without.push_back(batch);
      if (of.cells.size() > 1) continue;
      of.text = in_part ? fmt::format("At batch {} {} ran {} in graphs{}.", batch, mode, *in_part,
                                      skips_text(*cell))
                        : skips_text(*cell);
      of.figures = {{"graphed", *cell->summary.graphed}};
    }
    if (!without.empty())
      none.text = fmt::format("{} took no graph at batch {}, so it has no gain{}.", mode,
                              group.batches_text(without), none.text);
    for (Conclusion* const each : {&none, &part}) {
      if (!each->cells.empty()) conclusions.push_back(std::move(*each));
    }
  }
}

// Returns a ratio of latencies as a difference, whose sign says which one is longer, as no ratio beside gains
// does: "+15 %".
std::string difference_text(double ratio) {
  return fmt::format("{:+} %", std::llround(100 * (ratio - 1)));
}

// Numbers of several batches, as "4" or "4 to 6".
struct Numbers {
  std::vector<double> values;

  std::string text(std::string (*form)(double)) const {
    const auto [least, most] = std::ranges::minmax(values);
    return form(least) + (form(most) != form(least) ? " to " + form(most) : "");
  }
  void add_to(Conclusion& conclusion, const std::string& name) const {
    if (values.empty()) return;
    const auto [least, most] = std::ranges::minmax(values);
    conclusion.figures[name + "_min"] = least;
    conclusion.figures[name + "_max"] = most;
  }
};

// Says what a break costs, and how many of them take as long as whole gains, where launches show these.
class Breaks {
 public:
  void add(const CellGroup& group, const CellResult& whole, const CellResult& pieces) {
    const std::optional<double>& cost = pieces.summary.break_latency_seconds;
    if (cost) latency_.values.push_back(*cost);
    if (pieces.summary.break_submit_seconds) submit_.values.push_back(*pieces.summary.break_submit_seconds);
    if (!cost || !surely_gains(group, whole)) return;
    const double gained = whole.summary.latency_seconds->p50 * (*whole.summary.speedup_over_eager - 1);
    paid_.values.push_back(std::floor(gained / *cost));
    taken_.values.push_back(static_cast<double>(breaks_of(pieces)));
  }
  void conclude(Conclusion& conclusion) const {
    std::vector<std::string> costs;
    for (const auto& [numbers, name] : {std::pair{&latency_, "latency"}, {&submit_, "submit"}}) {
      if (!numbers->values.empty()) costs.push_back(numbers->text(reporters::format_seconds) + " of " + name);
      numbers->add_to(conclusion, fmt::format("break_{}_seconds", name));
    }
    if (costs.empty()) return;
    conclusion.text += " A break between pieces costs " + join(costs, " and ");
    if (!paid_.values.empty())
      conclusion.text +=
          fmt::format("; with at most {} breaks piecewise stays faster than eager, and the step has {}",
                      paid_.text(reporters::format_count), taken_.text(reporters::format_count));
    paid_.add_to(conclusion, "breaks_paid");
    taken_.add_to(conclusion, "breaks");
    conclusion.text += ".";
  }

 private:
  Numbers latency_, submit_, paid_, taken_;
};

void conclude_piecewise(const CellGroup& group, std::vector<Conclusion>& conclusions) {
  Conclusion conclusion = group.conclusion("piecewise_cost");
  std::vector<double> ratios;
  std::vector<std::int64_t> slower;  // surely slower than eager
  Breaks breaks;
  for (const std::int64_t batch : group.batches) {
    const CellResult* whole = group.at(batch, "whole");
    const CellResult* pieces = group.at(batch, "piecewise");
    if (pieces != nullptr && pieces->summary.speedup_ci95_high && *pieces->summary.speedup_ci95_high < 1)
      slower.push_back(batch);
    if (whole == nullptr || pieces == nullptr || !whole->summary.latency_seconds ||
        !pieces->summary.latency_seconds || whole->summary.latency_seconds->p50 <= 0)
      continue;
    ratios.push_back(pieces->summary.latency_seconds->p50 / whole->summary.latency_seconds->p50);
    breaks.add(group, *whole, *pieces);
    conclusion.cells.push_back(id_of(pieces->cell));
  }
  if (ratios.empty()) return;
  const auto [least, most] = std::ranges::minmax(ratios);
  conclusion.figures = {{"ratio_min", least}, {"ratio_max", most}};
  conclusion.text = "Piecewise's latency differs from whole's by " + difference_text(least);
  if (difference_text(most) != difference_text(least)) conclusion.text += " to " + difference_text(most);
  if (!slower.empty()) conclusion.text += ", and is above eager's at batch " + group.batches_text(slower);
  conclusion.text += ".";
  breaks.conclude(conclusion);
  conclusions.push_back(std::move(conclusion));
}

// Adds a sentence on the batches that gain in latency, but for which no gain in throughput is certain.
// Callers that do not wait for each step need to know these batches.
void conclude_throughput(const CellGroup& group, std::vector<Conclusion>& conclusions) {
  Conclusion conclusion = group.conclusion("throughput");
  std::vector<std::string> of_modes;
  for (const std::string& mode : group.graph_modes) {
    std::vector<std::int64_t> without;
    for (const std::int64_t batch : group.batches) {
      const CellResult* cell = group.at(batch, mode);
      if (cell == nullptr || !cell->summary.breakeven_steps || !cell->summary.throughput_ci95_low ||
          *cell->summary.throughput_ci95_low > 1)
        continue;
      without.push_back(batch);
      conclusion.cells.push_back(id_of(cell->cell));
    }
    if (!without.empty()) of_modes.push_back(mode + " at batch " + group.batches_text(without));
  }
  if (of_modes.empty()) return;
  conclusion.text = "Back to back, " + join(of_modes, " and ") + " may be no faster than eager: not decided.";
  conclusions.push_back(std::move(conclusion));
}

}  // namespace

bool surely_gains(const CellGroup& group, const CellResult& cell) {
  const std::optional<Gain> gain = gain_of(group, &cell);
  return gain && gain->low > 1;
}

void conclude_modes(const CellGroup& group, std::vector<Conclusion>& conclusions) {
  const std::vector<Choices> choices = choices_of(group);
  for (const Choices& each : choices) conclusions.push_back(conclusion_of(group, each));
  const bool any_measured = std::ranges::any_of(group.graph_modes, [&](const std::string& mode) {
    return std::ranges::any_of(group.batches, [&](std::int64_t b) {
      const CellResult* const cell = group.at(b, mode);
      return cell != nullptr && !took_no_graph(*cell);
    });
  });
  if (choices.empty() && any_measured) {
    conclusions.push_back(group.conclusion("no_reference"));
    conclusions.back().text = "The gain is unknown, because eager was not measured: add eager to --mode.";
  }
  conclude_graphs(group, conclusions);
  conclude_programs(group, conclusions);
  conclude_piecewise(group, conclusions);
  conclude_throughput(group, conclusions);
  conclude_bounds(group, conclusions);
}

}  // namespace graphbench::model
