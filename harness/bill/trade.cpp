// Finds fewer sizes for a traffic, with the ladder's search.
#include <map>

#include "harness/bill/predict.hpp"
#include "harness/ladder/suggest.hpp"

namespace graphbench::bill {

std::optional<Trade> trade_of(const Prediction& told, const std::vector<std::int64_t>& rows) {
  constexpr double never = 1e6;  // seconds of an eager step; so slow that the search avoids such steps
  ladder::SuggestProblem problem;
  std::map<std::int64_t, ladder::Candidate> candidates;
  for (const Capture& each : told.sizes) {
    ladder::Candidate& of = candidates[each.size];
    of.size = each.size;
    of.step_seconds = each.step_seconds;  // mode "both": whole comes last, so its time stays
    of.startup_seconds += seconds_of(each.setup);
    of.exec_bytes += each.growth.total();
  }
  const std::int64_t largest = candidates.rbegin()->first;
  ++problem.steps[largest];  // so that the search keeps this size, whose capture makes the pool
  for (const std::int64_t row : rows) problem.steps[std::min(row, largest)] += 1;
  double all_seconds = 0;
  for (const auto& [row, count] : problem.steps) {
    problem.eager[row] = never;
    all_seconds += static_cast<double>(count) * candidates.lower_bound(row)->second.step_seconds;
  }
  for (const auto& [size, candidate] : candidates) problem.candidates.push_back(candidate);
  problem.sizes_max = static_cast<std::int64_t>(candidates.size() / 2);
  if (*problem.sizes_max < 1) return std::nullopt;
  const ladder::Choice best = ladder::best_ladders(problem).back();
  Trade trade{.sizes = best.sizes, .step_ratio = best.seconds / all_seconds};
  for (const std::int64_t size : best.sizes) candidates.erase(size);
  for (const auto& [size, candidate] : candidates) {
    trade.bytes += candidate.exec_bytes;
    trade.seconds += candidate.startup_seconds;
  }
  return trade;
}

}  // namespace graphbench::bill
