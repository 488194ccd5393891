// Medians over cells of what summaries say.
#include "reporters/console/spread_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "harness/statistics/quantiles.hpp"

namespace graphbench::reporters {
namespace {

using Spread = std::optional<double> model::Estimate::*;

// "eager 3.1 % (worst 8 %), whole 0.4 % (worst 1.1 %)"; modes in the plan's order.
std::string by_mode(const model::Result& result, Spread spread) {
  std::map<std::string, std::vector<double>> spreads;
  for (const model::CellResult& cell : result.cells) {
    const std::optional<model::Estimate>& latency = cell.summary.latency_seconds;
    if (cell.status != model::CellStatus::ok || !latency || !((*latency).*spread)) continue;
    spreads[cell.cell.mode].push_back(*((*latency).*spread));
  }
  std::string text;
  for (const std::string& mode : result.plan.axes.mode) {
    const std::vector<double>& of_mode = spreads[mode];
    if (of_mode.empty()) continue;
    text += fmt::format("{}{} {:.2g} % (worst {:.2g} %)", text.empty() ? "" : ", ", mode,
                        100 * statistics::median(of_mode), 100 * std::ranges::max(of_mode));
  }
  return text;
}

}  // namespace

std::string spread_line(const model::Result& result) {
  const std::string between = by_mode(result, &model::Estimate::between_launches);
  if (between.empty()) return {};
  return "spread of latency, median cell: between launches " + between + "; within a launch " +
         by_mode(result, &model::Estimate::within_launch);
}

}  // namespace graphbench::reporters
