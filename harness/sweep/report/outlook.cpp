// Describes a plan and an earlier result in words.
#include "harness/sweep/report/outlook.hpp"

#include <cmath>

#include "graphs/base/text.hpp"
#include "harness/sweep/plan/shards.hpp"
#include "reporters/format.hpp"

namespace graphbench::reporters {
namespace {

std::string plural(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : noun.ends_with("s") ? "es" : "s");
}

// Writes one unit, because more digits would suggest that the estimate is exact.
std::string about(double seconds) {
  const auto whole = [](double value) { return static_cast<std::size_t>(std::lround(value)); };
  if (seconds < 90) return plural(whole(std::max(1.0, seconds)), "second");
  if (seconds < 90 * 60) return plural(whole(seconds / 60), "minute");
  return plural(whole(seconds / 3600), "hour");
}

}  // namespace

std::string outlook(std::size_t cells, const std::vector<model::WorkerTask>& tasks) {
  return plural(cells, "cell") + ", " + plural(tasks.size(), "process") + ", about " +
         about(plan::estimated_seconds(tasks));
}

std::string result_in_words(const model::Result& head, std::size_t cells) {
  return "the result of " + one_line(head.started_at) + " (" + plural(cells, "cell") + " of " +
         one_line(join(head.plan.axes.workload)) + " on " + one_line(head.environment.device.name) +
         (head.complete ? "" : ", interrupted") + ")";
}

}  // namespace graphbench::reporters
