// What comes back when graphs are destroyed and their pool is emptied, and what it takes to capture them
// again.
#include <fmt/format.h>

#include "harness/bill/predict.hpp"
#include "harness/model/findings/groups.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "reporters/report.hpp"

namespace graphbench::bill {

Sleep sleep_of(std::vector<Cycle> cycles, const std::vector<Capture>& captures, Outputs outputs) {
  Sleep made{.cycles = std::move(cycles), .again = setup_of(captures), .outputs = std::move(outputs)};
  for (Cycle& each : made.cycles) {
    const std::vector<Capture> sizes = std::exchange(each.captures, {});
    each.took = growth_of(sizes);
    each.setup = setup_of(sizes);
  }
  std::vector<double> seconds = {seconds_of(made.again)};
  for (std::size_t i = 1; i < made.cycles.size(); ++i) seconds.push_back(seconds_of(made.cycles[i].setup));
  made.again_seconds = model::median(std::move(seconds));
  for (const Capture& each : captures) {
    if (!each.one_exec_bytes) continue;
    made.exec_bytes = made.exec_bytes.value_or(0) + *each.one_exec_bytes;
    made.exec_resolution_bytes += each.exec_resolution_bytes;
  }
  return made;
}

std::string sleep_text(const Sleep& sleep) {
  const auto bytes = [](double of) { return reporters::bytes_value(of).text; };
  const Cycle& first = sleep.cycles.front();
  double kept = 0;
  for (const Cycle& each : sleep.cycles) kept += each.kept.total();
  std::string text = fmt::format(
      " Of {} that the first captures took, {} come back with the graphs, {} with their pool, and {} stay",
      bytes(first.took.total()), bytes(first.destroyed.total()), bytes(first.emptied.total()),
      bytes(first.kept.total()));
  if (first.kept.driver_bytes) text += fmt::format(" ({} with the driver)", bytes(*first.kept.driver_bytes));
  if (sleep.cycles.size() > 1)
    text += fmt::format("; after {} {} more stay", model::plural(std::ssize(sleep.cycles), "cycle"),
                        bytes(kept - first.kept.total()));
  text += fmt::format(". To capture again takes {}, at first {}; then outputs ",
                      reporters::format_seconds(sleep.again_seconds),
                      reporters::format_seconds(seconds_of(first.setup)));
  const Outputs& outputs = sleep.outputs;
  if (outputs.differ_at > 0) return text + fmt::format("at size {} differ from eager's.", outputs.differ_at);
  return text + (outputs.identical ? "equal eager's." : "equal eager's within the limit.");
}

}  // namespace graphbench::bill
