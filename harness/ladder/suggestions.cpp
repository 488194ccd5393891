// Makes suggestions per cell, plans their verification, and finds the mode with the least median time.
#include "harness/ladder/suggestions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "graphs/base/text.hpp"
#include "harness/ladder/suggest.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/statistics/mean_difference.hpp"
#include "harness/model/statistics/moments.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::ladder {
namespace {

Suggestion suggestion_of(const Measurements& measured, const std::vector<std::int64_t>& rows,
                         const Budgets& budgets, const std::string& where) {
  SuggestProblem problem = problem_of(measured, rows, where);
  problem.sizes_max = budgets.sizes_max;
  problem.memory_bytes =
      budgets.memory_of.empty() ? budgets.memory_bytes : memory_of(measured, budgets.memory_of, "--memory");
  problem.startup_seconds = budgets.startup_seconds;
  const std::vector<Choice> best = best_ladders(problem);
  const auto steps = static_cast<double>(rows.size());
  Suggestion suggestion;
  suggestion.sizes = best.back().sizes;
  for (const Candidate& each : problem.candidates) {
    if (!each.measured && contains(suggestion.sizes, each.size)) suggestion.interpolated.push_back(each.size);
  }
  suggestion.step_seconds = best.back().seconds / steps;
  suggestion.eager_step_seconds = best.front().seconds / steps;
  suggestion.startup_seconds = best.back().startup_seconds;
  suggestion.memory_bytes = best.back().memory_bytes;
  suggestion.memory_max_bytes = problem.memory_bytes;
  suggestion.no_suggestion = "not served";  // add_verification() replaces it for a verified suggestion
  for (const Choice& each : best)
    suggestion.frontier.push_back({static_cast<std::int64_t>(each.sizes.size()), each.seconds / steps});
  return suggestion;
}

bool is_same(model::Cell a, const model::Cell& b) {
  a.batch = b.batch;
  return a == b;
}

// "mlp/base/bf16/forward/w3/whole": what the cells of one suggestion have in common.
std::string words_of_group(const model::Cell& cell) {
  const std::string variant = model::variant_of(cell);
  return model::group_of(cell) + "/" + cell.mode + (variant.empty() ? "" : "/" + variant);
}

// The measurements of `ladder`. Sizes that it lacks come from other ladders with the same program, in the
// same mode or eager.
Measurements measurements_around(const Ladder& ladder, const std::vector<Ladder>& all) {
  Measurements measured = measurements_of(ladder);
  for (const Ladder& other : all) {
    model::Cell cell = other.cell;
    const bool eager = cell.mode == model::reference_mode().name;
    if (eager) cell.mode = ladder.cell.mode;
    if (other.id == ladder.id || !is_same(cell, ladder.cell)) continue;
    Measurements further = measurements_of(other);
    measured.eager.merge(further.eager);
    if (eager) continue;
    measured.step_seconds.merge(further.step_seconds);
    measured.startup_seconds.merge(further.startup_seconds);
    measured.exec_bytes.merge(further.exec_bytes);
    measured.pool_bytes.merge(further.pool_bytes);
  }
  return measured;
}

// The ladder that captured `sizes` at start-up, with `of`'s program and mode; null if there is none. Without
// sizes, the eager ladder.
const Ladder* served(const std::vector<Ladder>& ladders, const model::Cell& of,
                     const std::vector<std::int64_t>& sizes) {
  const auto found = std::ranges::find_if(ladders, [&](const Ladder& each) {
    model::Cell cell = each.cell;
    if (sizes.empty()) cell.mode = of.mode;
    return each.sizes == sizes && is_same(cell, of) && !each.launches.empty() &&
           each.policy.when == CaptureWhen::startup;
  });
  return found == ladders.end() ? nullptr : &*found;
}

// The ladder's mean step times in the launches that `other` has too.
std::vector<double> step_seconds(const Ladder& ladder, const Ladder& other) {
  std::vector<double> means;
  for (const LadderLaunch& launch : ladder.launches) {
    if (std::ranges::find(other.launches, launch.index, &LadderLaunch::index) != other.launches.end())
      means.push_back(launch.latency_seconds.value().mean);
  }
  return means;
}

bool agree(double predicted, double served) {
  return std::abs(served / predicted - 1) <= disagreement_max;
}

// The reason why there is no suggestion; empty if there is one.
std::string why_none(const Suggestion& made, std::size_t launches) {
  if (!agree(made.step_seconds, *made.verified_step_seconds) ||
      !agree(made.eager_step_seconds, *made.eager_verified_step_seconds))
    return "served and predicted times differ";
  if (launches < 3) return "fewer than 3 launches";
  const bool gains = !made.sizes.empty() && made.over_eager_ci95_low.value_or(0) > 1;
  return gains ? "" : "the gain over eager is not certain";
}

std::int64_t largest(const Suggestion& suggestion) {
  return suggestion.sizes.empty() ? 0 : suggestion.sizes.back();
}

using ByMode = std::map<std::string, double>;

BestSize best_of(std::int64_t size, const ByMode& seconds) {
  std::vector<std::pair<double, std::string>> ordered;
  for (const auto& [mode, time] : seconds) ordered.emplace_back(time, mode);
  std::ranges::sort(ordered);
  BestSize best{.size = size, .mode = ordered[0].second, .step_seconds = ordered[0].first, .margin = 0};
  if (ordered.size() > 1) best.margin = ordered[1].first / ordered[0].first - 1;
  const std::string& reference = model::reference_mode().name;
  const auto graph =
      std::ranges::find_if(ordered, [&](const auto& each) { return each.second != reference; });
  if (graph != ordered.end() && seconds.contains(reference))
    best.over_eager = seconds.at(reference) / graph->first;
  return best;
}

// The size from which on every gain is too small; absent if the largest size gains enough.
std::optional<std::int64_t> no_gain_from(const std::vector<BestSize>& sizes) {
  std::optional<std::int64_t> from;
  for (const BestSize& size : sizes) {
    if (!size.over_eager) continue;
    if (*size.over_eager >= 1 + gain_that_counts) {
      from.reset();
    } else if (!from) {
      from = size.size;
    }
  }
  return from;
}

}  // namespace

std::vector<Suggestion> suggest(const std::vector<Ladder>& ladders, const std::vector<std::int64_t>& rows,
                                const Budgets& budgets, const std::string& where) {
  std::vector<Suggestion> suggestions;
  for (const Ladder& ladder : ladders) {
    if (ladder.role != "asked" || ladder.sizes.empty() || ladder.launches.empty()) continue;
    Suggestion& made =
        suggestions.emplace_back(suggestion_of(measurements_around(ladder, ladders), rows, budgets, where));
    made.cell = ladder.cell;
    made.cell.batch = largest(made);
    made.from = ladder.id;
  }
  return suggestions;
}

std::vector<Suggestion> suggest(const std::vector<model::CellResult>& cells,
                                const std::vector<std::int64_t>& rows, const Budgets& budgets,
                                const std::string& where) {
  std::vector<Suggestion> suggestions;
  std::vector<model::Cell> left_aside;  // a cell of each group without eager
  for (const model::CellResult& each : cells) {
    const auto is_like = [&](const model::Cell& cell) { return is_same(cell, each.cell); };
    const bool seen = std::ranges::any_of(suggestions, is_like, &Suggestion::cell) ||
                      std::ranges::any_of(left_aside, is_like);
    if (seen || !model::is_graph_mode(each.cell.mode) || each.status != model::CellStatus::ok) continue;
    const Measurements measured = measurements_of(cells, each.cell);
    // Without an axis, a sweep has a second grid of graphs alone, which asks how many warmups a capture
    // needs.
    if (measured.eager.empty()) {
      left_aside.push_back(each.cell);
      continue;
    }
    Suggestion& made = suggestions.emplace_back(
        suggestion_of(measured, rows, budgets, where + ": " + words_of_group(each.cell)));
    made.cell = each.cell;
    made.cell.batch = largest(made);
    made.from = where;
  }
  if (!suggestions.empty()) return suggestions;
  if (left_aside.empty())
    throw InputError(where,
                     "the result has no measured graph, so nothing can be suggested: sweep a graph mode");
  const std::size_t more = left_aside.size() - 1;
  throw InputError(where, "no group of graphs has eager cells (" + words_of_group(left_aside.front()) +
                              (more == 0 ? "" : ", and " + std::to_string(more) + " more") +
                              "), so nothing can be suggested: sweep eager too");
}

std::vector<PlannedLadder> plan_verification(const model::Plan& plan, const LadderRequest& request,
                                             const std::vector<Suggestion>& suggestions,
                                             const std::vector<Ladder>& measured) {
  std::vector<PlannedLadder> ladders;
  std::set<std::pair<std::string, std::int64_t>> seen;
  bool matched = false;
  for (const model::WorkerTask& task : plan.tasks) {
    for (const Suggestion& made : suggestions) {
      if (!is_same(model::cell_of(task, 0), made.cell)) continue;
      matched = true;
      for (const std::vector<std::int64_t>& sizes : {made.sizes, std::vector<std::int64_t>()}) {
        PlannedLadder next = planned(task, request, sizes.empty() ? "eager" : "suggested", sizes);
        if (std::ranges::find(measured, next.ladder.id, &Ladder::id) == measured.end() &&
            seen.emplace(next.ladder.id, task.launch).second)
          ladders.push_back(std::move(next));
      }
    }
  }
  if (!matched)
    throw InputError("--verify",
                     "nothing was suggested for the workloads, presets, dtypes, warmups and modes that "
                     "the options name: give values that were measured");
  return ladders;
}

void add_verification(const std::vector<Ladder>& ladders, std::vector<Suggestion>& suggestions) {
  for (Suggestion& made : suggestions) {
    const Ladder* const graphs = served(ladders, made.cell, made.sizes);
    const Ladder* const eager = served(ladders, made.cell, {});
    if (graphs == nullptr || eager == nullptr) continue;
    const std::vector<double> own = step_seconds(*graphs, *eager), eagers = step_seconds(*eager, *graphs);
    if (own.empty()) continue;
    made.verified_by = graphs->id;
    made.verified_step_seconds = model::mean_of(own);
    made.eager_verified_step_seconds = model::mean_of(eagers);
    const double spread_min = model::log_spread_min * *made.verified_step_seconds;
    if (const auto gain = model::ratio_of_means(eagers, own, spread_min)) {
      made.over_eager = gain->ratio;
      made.over_eager_ci95_low = gain->low;
      made.over_eager_ci95_high = gain->high;
    }
    made.no_suggestion = why_none(made, own.size());
  }
}

std::vector<BestModes> best_modes(
    const std::vector<Ladder>& ladders,
    const std::function<std::optional<std::int64_t>(const model::Cell&)>& tokens_of) {
  struct Group {
    model::Cell cell;
    std::map<std::int64_t, ByMode> sizes;
  };
  std::vector<Group> groups;
  for (const Ladder& ladder : ladders) {
    if (ladder.role != "asked" || ladder.sizes.empty() || ladder.launches.empty()) continue;
    model::Cell cell = ladder.cell;
    cell.mode = "best";
    auto group = std::ranges::find(groups, cell, &Group::cell);
    if (group == groups.end()) group = groups.insert(groups.end(), Group{cell, {}});
    std::map<std::int64_t, std::vector<double>> graphs, eagers;
    for (const LadderLaunch& launch : ladder.launches) {
      for (const LadderSize& size : launch.sizes) {
        if (!size.step_seconds) continue;
        graphs[size.size].push_back(*size.step_seconds);
        eagers[size.size].push_back(*size.eager_seconds);
      }
    }
    for (const auto& [size, launches] : graphs) {
      ByMode& modes = group->sizes[size];
      modes[ladder.cell.mode] = model::median(launches);
      // Each graph mode's ladder measured eager too: the shortest time is used, so no gain is overstated.
      const double eager = model::median(eagers.at(size));
      const auto known = modes.emplace(model::reference_mode().name, eager).first;
      known->second = std::min(known->second, eager);
    }
  }
  std::vector<BestModes> best;
  for (const Group& group : groups) {
    BestModes& modes = best.emplace_back();
    modes.cell = group.cell;
    for (const auto& [size, seconds] : group.sizes) modes.sizes.push_back(best_of(size, seconds));
    modes.no_gain_from = no_gain_from(modes.sizes);
    const std::optional<std::int64_t> tokens = tokens_of(group.cell);
    if (modes.no_gain_from && tokens) modes.no_gain_from_tokens = *modes.no_gain_from * *tokens;
  }
  return best;
}

}  // namespace graphbench::ladder
