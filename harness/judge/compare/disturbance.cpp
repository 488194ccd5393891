// Tells whether one side of a comparison was disturbed and the other was not: such sides differ although
// nothing changed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "graphs/base/text.hpp"
#include "harness/judge/compare/facts.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::judge {
namespace {

// A share of the cores (for load) or of the launches (for shared cores) that moves medians.
constexpr double share_that_disturbs = 0.25;

// A sweep that has just ended is itself in the load average of the next: as one busy core, or, on the host
// device, as all of them. Only what is beyond that is other work.
std::string load_text(const DocumentFacts& base, const DocumentFacts& now) {
  const double cores = std::strtod(base.field("cores").c_str(), nullptr);
  if (base.loads.empty() || now.loads.empty() || cores < 1) return "";
  const double before = model::median(base.loads);
  const double after = model::median(now.loads);
  const double own = base.field("device.kind") == "host" ? cores : 1;
  if (std::abs(after - before) <= own + share_that_disturbs * cores) return "";
  return fmt::format("{} ran beside other work (load {:.1f} against {:.1f})", after > before ? "NEW" : "BASE",
                     std::max(before, after), std::min(before, after));
}

std::string core_text(const DeviceClocks& base, const DeviceClocks& now) {
  if (base.pinned == 0 || now.pinned == 0) return "";
  const auto share = [](const DeviceClocks& side) {
    return static_cast<double>(side.shared) / static_cast<double>(side.pinned);
  };
  if (std::abs(share(now) - share(base)) <= share_that_disturbs) return "";
  const bool of_now = share(now) > share(base);
  const DeviceClocks& more = of_now ? now : base;
  const DeviceClocks& less = of_now ? base : now;
  return fmt::format("{} shared its core in {} of {} cell launches (against {} of {})",
                     of_now ? "NEW" : "BASE", more.shared, more.pinned, less.shared, less.pinned);
}

}  // namespace

std::string disturbance_of(const DocumentFacts& base, const DocumentFacts& now,
                           const std::vector<model::Difference>& differences) {
  std::vector<std::string> texts;
  for (std::string text : {load_text(base, now), core_text(base.clocks, now.clocks)}) {
    if (!text.empty()) texts.push_back(std::move(text));
  }
  for (const model::Difference& difference : differences) {
    if (difference.field == "machine.sm_clock_hz")
      texts.push_back("SM clocks differ (" + difference.base + " to " + difference.now + ")");
    if (difference.field == "machine.throttle")
      texts.push_back("throttling differs (" + difference.base + " to " + difference.now + ")");
  }
  return join(texts, ", ");
}

}  // namespace graphbench::judge
