// Finds the mode with the least median, and its margin.
#include "harness/ladder/best.hpp"

#include <algorithm>
#include <map>

#include "harness/ladder/suggest.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::ladder {
namespace {

using ByMode = std::map<std::string, double>;

model::BestSize best_of(std::int64_t size, const ByMode& seconds) {
  std::vector<std::pair<double, std::string>> ordered;
  for (const auto& [mode, time] : seconds) ordered.emplace_back(time, mode);
  std::ranges::sort(ordered);
  model::BestSize best{
      .size = size, .mode = ordered[0].second, .step_seconds = ordered[0].first, .margin = 0};
  if (ordered.size() > 1) best.margin = ordered[1].first / ordered[0].first - 1;
  const std::string& reference = model::reference_mode().name;
  const auto graph =
      std::ranges::find_if(ordered, [&](const auto& each) { return each.second != reference; });
  if (graph != ordered.end() && seconds.contains(reference))
    best.over_eager = seconds.at(reference) / graph->first;
  return best;
}

// The first of the sizes at the end of the list that gain too little.
std::optional<std::int64_t> no_gain_from(const std::vector<model::BestSize>& sizes) {
  std::optional<std::int64_t> from;
  for (const model::BestSize& size : sizes) {
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

std::vector<model::BestModes> best_modes(
    const std::vector<model::Ladder>& ladders,
    const std::function<std::optional<std::int64_t>(const model::Cell&)>& tokens_of) {
  struct Group {
    model::Cell cell;
    std::map<std::int64_t, ByMode> sizes;
  };
  std::vector<Group> groups;
  for (const model::Ladder& ladder : ladders) {
    if (ladder.role != "asked" || ladder.sizes.empty() || ladder.launches.empty()) continue;
    model::Cell cell = ladder.cell;
    cell.mode = "best";
    auto group = std::ranges::find(groups, cell, &Group::cell);
    if (group == groups.end()) group = groups.insert(groups.end(), Group{cell, {}});
    const Measurements measured = measurements_of(ladder);
    for (const auto& [size, seconds] : measured.step_seconds) {
      ByMode& modes = group->sizes[size];
      modes[ladder.cell.mode] = seconds;
      // Each graph mode was measured beside eager: the quicker of these is no less fair to graphs.
      const double eager = measured.eager.at(size);
      const auto known = modes.emplace(model::reference_mode().name, eager).first;
      known->second = std::min(known->second, eager);
    }
  }
  std::vector<model::BestModes> best;
  for (const Group& group : groups) {
    model::BestModes& modes = best.emplace_back();
    modes.cell = group.cell;
    for (const auto& [size, seconds] : group.sizes) modes.sizes.push_back(best_of(size, seconds));
    modes.no_gain_from = no_gain_from(modes.sizes);
    const std::optional<std::int64_t> tokens = tokens_of(group.cell);
    if (modes.no_gain_from && tokens) modes.no_gain_from_tokens = *modes.no_gain_from * *tokens;
  }
  return best;
}

}  // namespace graphbench::ladder
