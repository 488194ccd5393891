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

constexpr double few_margin = 0.02;

// The lists that a suggestion is held against, with what they are predicted to take.
std::vector<RivalList> rivals_of(const Choice& best, const MeasuredGroup& from, const SuggestProblem& problem,
                                 const Budgets& budgets) {
  const std::int64_t largest = problem.steps.rbegin()->first;
  std::vector<std::int64_t> powers = {1};
  while (powers.back() < largest) powers.push_back(2 * powers.back());
  if (powers.size() > best.sizes.size()) powers.erase(powers.begin(), powers.end() - std::ssize(best.sizes));
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> lists = {{"powers", std::move(powers)}};
  for (const std::string& engine : budgets.engines) {
    if (auto sizes = default_sizes(engine, budgets.query_lengths)) lists.emplace_back(engine, *sizes);
  }
  if (!budgets.engine_sizes.empty()) lists.emplace_back("engine", budgets.engine_sizes);
  std::vector<RivalList> rivals;
  for (auto& [name, sizes] : lists) {
    round_up(sizes, budgets.multiple_of);
    const auto needed = std::ranges::lower_bound(sizes, largest);
    if (needed != sizes.end()) sizes.erase(std::next(needed), sizes.end());
    RivalList& rival = rivals.emplace_back(RivalList{.name = name, .sizes = sizes});
    const std::optional<Choice> cost = cost_of(from.measured, problem, sizes);
    if (cost) rival.step_seconds = cost->seconds;
    rival.beyond_budget =
        cost ? !fits(problem, *cost) : std::ssize(sizes) > problem.sizes_max.value_or(size_max);
  }
  return rivals;
}

// Why a suggestion has no size.
std::string why_nothing(const SuggestProblem& problem, std::int64_t multiple_of) {
  const auto none_fits = [&](bool memory, bool startup) {
    return std::ranges::none_of(problem.candidates, [&](const Candidate& each) {
      return (!memory || each.exec_bytes + each.pool_bytes <= problem.memory_bytes.value_or(HUGE_VAL)) &&
             (!startup || each.startup_seconds <= problem.startup_seconds.value_or(HUGE_VAL));
    });
  };
  const std::string limit = problem.candidates.empty() ? "--multiple-of " + std::to_string(multiple_of)
                            : none_fits(true, false)   ? "--memory"
                            : none_fits(false, true)   ? "--startup"
                            : none_fits(true, true)    ? "both --memory and --startup"
                                                       : "";
  return "capture nothing: " + (limit.empty() ? "all eager is fastest" : "no measured size fits " + limit);
}

std::string why_none_predicted(const Suggestion& made) {
  for (const RivalList& rival : made.rivals) {
    if (!rival.beyond_budget && rival.step_seconds.value_or(HUGE_VAL) < made.step_seconds * (1 - 1e-9))
      return words_of(rival) + " would take less time";
  }
  const double least = made.step_seconds * (1 + gain_that_counts);
  if (made.eager_step_seconds >= least) return "";
  return made.frontier.front().step_seconds < least
             ? "the predicted gain over eager is below 2 %"
             : "the predicted gain over eager is not certain: measure eager at more sizes";
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

// The ladder that captured `sizes` at start-up and served the suggestion's steps, with its program and mode;
// null if there is none. Without sizes, the eager ladder.
const Ladder* served(const std::vector<Ladder>& ladders, const Suggestion& made,
                     const std::vector<std::int64_t>& sizes) {
  const std::string digest = made.trace.digest();
  const auto found = std::ranges::find_if(ladders, [&](const Ladder& each) {
    model::Cell cell = each.cell;
    if (sizes.empty()) cell.mode = made.cell.mode;
    return each.sizes == sizes && is_same(cell, made.cell) && each.traffic.digest == digest &&
           !each.launches.empty() && each.policy.when == CaptureWhen::startup && each.policy.graphs_max == 0;
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

// The reason why there is no suggestion; empty if there is one.
std::string why_none(const Suggestion& made, std::size_t launches) {
  if (made.sizes.empty()) return made.no_suggestion;
  if (launches < 3) return "fewer than 3 launches";
  if (made.over_eager_ci95_low.value_or(0) <= 1) return "the gain over eager is not certain";
  for (const RivalList& rival : made.rivals) {
    if (!rival.beyond_budget && rival.over_ci95_high.value_or(1) < 1)
      return words_of(rival) + " took less time";
  }
  return "";
}

std::optional<model::RatioOfMeans> ratio_over(const std::vector<double>& rival,
                                              const std::vector<double>& own) {
  return model::ratio_of_means(rival, own, model::log_spread_min * model::mean_of(own));
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

std::vector<MeasuredGroup> measured_groups(const std::vector<Ladder>& ladders, const std::string& where) {
  std::vector<MeasuredGroup> groups;
  for (const Ladder& ladder : ladders) {
    if (ladder.role != "asked" || ladder.sizes.empty() || ladder.launches.empty()) continue;
    groups.push_back({ladder.cell, ladder.id, where, measurements_around(ladder, ladders), ladder.sizes});
  }
  return groups;
}

std::vector<MeasuredGroup> measured_groups(const std::vector<model::CellResult>& cells,
                                           const std::string& where) {
  std::vector<MeasuredGroup> groups;
  std::vector<model::Cell> left_aside;  // a cell of each group without eager
  for (const model::CellResult& each : cells) {
    const auto is_like = [&](const model::Cell& cell) { return is_same(cell, each.cell); };
    const bool seen = std::ranges::any_of(groups, is_like, &MeasuredGroup::cell) ||
                      std::ranges::any_of(left_aside, is_like);
    if (seen || !model::is_graph_mode(each.cell.mode) || each.status != model::CellStatus::ok) continue;
    Measurements measured = measurements_of(cells, each.cell);
    // Without an axis, a sweep has a second grid of graphs alone, which asks how many warmups a capture
    // needs.
    if (measured.eager.empty()) {
      left_aside.push_back(each.cell);
    } else {
      groups.push_back({each.cell, where, where + ": " + words_of_group(each.cell), std::move(measured)});
      for (const auto& [size, seconds] : groups.back().measured.step_seconds)
        groups.back().sizes.push_back(size);
    }
  }
  if (!groups.empty()) return groups;
  if (left_aside.empty())
    throw InputError(where,
                     "the result has no measured graph, so nothing can be suggested: sweep a graph mode");
  const std::size_t more = left_aside.size() - 1;
  throw InputError(where, "no group of graphs has eager cells (" + words_of_group(left_aside.front()) +
                              (more == 0 ? "" : ", and " + std::to_string(more) + " more") +
                              "), so nothing can be suggested: sweep eager too");
}

Suggestion suggest(const MeasuredGroup& from, const Trace& trace, const Budgets& budgets) {
  const Measurements& measured = from.measured;
  SuggestProblem problem = problem_of(measured, trace.rows, from.where, budgets.multiple_of);
  problem.sizes_max = budgets.sizes_max;
  if (budgets.memory_bytes && measured.pool_bytes.empty())
    throw InputError("--memory", from.from +
                                     " does not say what graphs take of memory, so no budget can be "
                                     "kept: leave it out, or suggest from a ladder that is served");
  problem.memory_bytes =
      budgets.memory_of.empty() ? budgets.memory_bytes : memory_of(measured, budgets.memory_of, "--memory");
  problem.startup_seconds = budgets.startup_seconds;
  const std::vector<Choice> best = best_ladders(problem);
  const auto steps = static_cast<double>(trace.rows.size());
  Suggestion made;
  made.cell = from.cell;
  made.from = from.from;
  made.trust = from.trust;
  if (from.cell.dtype == model::of_its_own) made.eager = "the step";
  made.trace = trace;
  made.sizes = best.back().sizes;
  made.cell.batch = made.sizes.empty() ? 0 : made.sizes.back();
  for (const Candidate& each : problem.candidates) {
    if (!each.measured && contains(made.sizes, each.size)) made.interpolated.push_back(each.size);
  }
  made.step_seconds = best.back().seconds / steps;
  for (const auto& [size, count] : problem.steps)
    made.eager_step_seconds += static_cast<double>(count) * problem.eager_least.at(size) / steps;
  if (made.sizes.empty()) made.step_seconds = made.eager_step_seconds;
  made.startup_seconds = best.back().startup_seconds;
  if (!measured.pool_bytes.empty()) made.memory_bytes = best.back().memory_bytes;
  made.memory_max_bytes = problem.memory_bytes;
  for (const Choice& each : best)
    made.frontier.push_back({std::ssize(each.sizes), each.seconds / steps, each.sizes});
  const auto few = std::ranges::find_if(
      best, [&](const Choice& each) { return each.seconds <= (1 + few_margin) * best.back().seconds; });
  if (!few->sizes.empty() && few->sizes.size() < made.sizes.size()) made.few = few->sizes;
  if (!made.sizes.empty()) made.rivals = rivals_of(best.back(), from, problem, budgets);
  for (RivalList& rival : made.rivals) {
    if (rival.step_seconds) *rival.step_seconds /= steps;
  }
  made.no_suggestion =
      made.sizes.empty() ? why_nothing(problem, budgets.multiple_of) : why_none_predicted(made);
  return made;
}

std::string words_of(const RivalList& rival) {
  if (rival.name == "powers") return "powers of two";
  return rival.name == "engine" ? "--engine-sizes" : rival.name + "'s default";
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
      LadderRequest of = request;
      of.trace = made.trace;
      std::vector<std::pair<std::string, std::vector<std::int64_t>>> lists = {
          {made.sizes.empty() ? "eager" : "suggested", made.sizes}, {"eager", {}}};
      for (const RivalList& rival : made.rivals) lists.emplace_back(rival.name, rival.sizes);
      for (const auto& [role, sizes] : lists) {
        PlannedLadder next = planned(task, of, role, sizes);
        if (std::ranges::find(measured, next.ladder.id, &Ladder::id) == measured.end() &&
            seen.emplace(next.ladder.id, task.launch).second)
          ladders.push_back(std::move(next));
      }
    }
  }
  if (!matched)
    throw InputError("--verify",
                     "nothing was suggested for the workloads, presets, dtypes, warmups and modes that "
                     "the options name: give those that were measured, a PyTorch step's by --torch");
  return ladders;
}

void add_memory(const std::vector<Ladder>& ladders, std::vector<Suggestion>& suggestions) {
  for (Suggestion& made : suggestions) {
    const Ladder* const graphs = served(ladders, made, made.sizes);
    const std::int64_t bytes = graphs == nullptr ? 0 : graph_bytes(graphs->launches.front());
    if (bytes > 0) made.verified_memory_bytes = static_cast<double>(bytes);
  }
}

void add_verification(const std::vector<Ladder>& ladders, std::vector<Suggestion>& suggestions) {
  for (Suggestion& made : suggestions) {
    const Ladder* const graphs = served(ladders, made, made.sizes);
    const Ladder* const eager = served(ladders, made, {});
    if (graphs == nullptr || eager == nullptr) continue;
    const std::vector<double> own = step_seconds(*graphs, *eager), eagers = step_seconds(*eager, *graphs);
    if (own.empty()) continue;
    made.verified_by = graphs->id;
    made.verified_step_seconds = model::mean_of(own);
    made.eager_verified_step_seconds = model::mean_of(eagers);
    for (RivalList& rival : made.rivals) {
      const Ladder* const of = served(ladders, made, rival.sizes);
      if (of == nullptr || step_seconds(*of, *graphs).empty()) continue;
      rival.verified_step_seconds = model::mean_of(step_seconds(*of, *graphs));
      if (const auto ratio = ratio_over(step_seconds(*of, *graphs), step_seconds(*graphs, *of))) {
        rival.over = ratio->ratio;
        rival.over_ci95_low = ratio->low;
        rival.over_ci95_high = ratio->high;
      }
    }
    if (const auto gain = ratio_over(eagers, own)) {
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
