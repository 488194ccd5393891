// Compares the facts of both sides one by one, and tells which differences block a comparison.
#include "harness/judge/compare/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "graphs/base/text.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::judge {
namespace {

// A difference in one of these facts blocks the comparison.
constexpr auto blocking_facts =
    std::to_array<std::string_view>({"device.kind", "device.name", "device.compute_capability", "plan",
                                     "method", "plan.concurrent", "fingerprint"});
// These block it only if the device is the host.
constexpr auto facts_blocking_on_host = std::to_array<std::string_view>({"cpu", "cores"});

// These facts are not part of the fingerprint, so their differences do not explain a different fingerprint.
constexpr auto outside_fingerprint = std::to_array<std::string_view>(
    {"plan", "method", "hostname", "os", "cores", "device.memory_bytes", "device.uuid", "machine.turbo",
     "machine.governor", "machine.pinned", "machine.sm_clock_hz", "machine.throttle", "plan.cell_processes",
     "plan.concurrent", "plan.seed", "plan.launches", "plan.time_per_cell", "tool.commit"});

bool is_allowed(const std::string& field, const std::vector<std::string>& allow) {
  return std::ranges::any_of(allow, [&](const std::string& name) {
    return name == field || (name == "device" && (field == "device.kind" || field == "device.name" ||
                                                  field == "device.compute_capability"));
  });
}

constexpr double clock_ratio_max = 1.05;

void add_clock(const DeviceClocks& base, const DeviceClocks& now, std::vector<model::Difference>& to) {
  if (base.sm_clocks_hz.empty() || now.sm_clocks_hz.empty()) return;
  const double before = model::median(base.sm_clocks_hz);
  const double after = model::median(now.sm_clocks_hz);
  if (std::max(before, after) <= clock_ratio_max * std::min(before, after)) return;
  const auto text = [](double hz) { return fmt::format("{:.0f} MHz (median)", hz / 1e6); };
  to.push_back({"machine.sm_clock_hz", text(before), text(after)});
}

void add_throttling(const DeviceClocks& base, const DeviceClocks& now, std::vector<model::Difference>& to) {
  if (base.launches == 0 || now.launches == 0) return;
  const auto text = [](const DeviceClocks& clocks, const std::string& reason) {
    const auto found = clocks.throttled.find(reason);
    if (found == clocks.throttled.end()) return std::string("never");
    return fmt::format("{} in {} of {} cell launches", reason, found->second, clocks.launches);
  };
  std::set<std::string> reasons;
  for (const DeviceClocks* clocks : {&base, &now}) {
    for (const auto& [reason, launches] : clocks->throttled) reasons.insert(reason);
  }
  for (const std::string& reason : reasons) {
    if (base.throttled.contains(reason) == now.throttled.contains(reason)) continue;
    to.push_back({"machine.throttle", text(base, reason), text(now, reason)});
  }
}

bool explains_fingerprint(const model::Difference& difference) {
  const std::string& field = difference.field;
  return !contains(outside_fingerprint, field) && !field.starts_with(variable_prefix) &&
         !field.starts_with(choice_prefix);
}

std::set<std::string> names_of(const DocumentFacts& base, const DocumentFacts& now, std::string_view prefix) {
  std::set<std::string> names;
  for (const DocumentFacts* facts : {&base, &now}) {
    for (const auto& [name, value] : facts->fields) {
      if (name.starts_with(prefix)) names.insert(name);
    }
  }
  return names;
}

// False for a document of an older version, which does not record library choices.
bool has_choices(const DocumentFacts& facts) {
  const auto first = facts.fields.lower_bound(std::string(choice_prefix));
  return first != facts.fields.end() && first->first.starts_with(choice_prefix);
}

}  // namespace

const std::vector<std::string>& allowable_fields() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> made = {"device"};
    for (const std::string_view fact : model::fact_names) {
      if (contains(blocking_facts, fact) || contains(facts_blocking_on_host, fact)) made.emplace_back(fact);
    }
    return made;
  }();
  return names;
}

std::vector<model::Difference> differences_of(const DocumentFacts& base, const DocumentFacts& now,
                                              const std::vector<std::string>& allow) {
  const bool on_host = base.field("device.kind") == "host";
  std::vector<model::Difference> differences;
  const auto add = [&](const std::string& name, bool blocking) {
    const std::string before = base.field(name);
    const std::string after = now.field(name);
    if (before == after) return;
    differences.push_back({name, before, after, blocking, blocking && is_allowed(name, allow)});
  };
  const auto add_all = [&](std::string_view prefix) {
    for (const std::string& name : names_of(base, now, prefix)) add(name, false);
  };
  for (const std::string_view fact : model::fact_names) {
    bool blocking = contains(blocking_facts, fact) || (on_host && contains(facts_blocking_on_host, fact));
    if (fact == "fingerprint") blocking = std::ranges::none_of(differences, explains_fingerprint);
    add(std::string(fact), blocking);
    if (fact == "device.runtime") {
      add_all(library_prefix);
      add_all(variable_prefix);
      if (has_choices(base) && has_choices(now)) add_all(choice_prefix);
    } else if (fact == "machine.pinned") {
      add_clock(base.clocks, now.clocks, differences);
      add_throttling(base.clocks, now.clocks, differences);
    }
  }
  return differences;
}

bool comparable(const std::vector<model::Difference>& differences) {
  return fields_in_the_way(differences).empty();
}

std::vector<std::string> fields_in_the_way(const std::vector<model::Difference>& differences) {
  std::vector<std::string> fields;
  for (const model::Difference& each : differences) {
    if (each.blocking && !each.allowed) fields.push_back(each.field);
  }
  return fields;
}

}  // namespace graphbench::judge
