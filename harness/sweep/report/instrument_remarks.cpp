// Governor, load, pinning, throttling, instruments that were missing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/sweep/report/table.hpp"
#include "reporters/format.hpp"

namespace graphbench::reporters {
namespace {

// A worker's threads that are awake while it measures: on a GPU the one that submits and waits, and what else
// runs now and then; the host device computes on all cores.
double cpus_needed(const model::Environment& environment) {
  return environment.device.kind == "host" ? static_cast<double>(environment.cores) : 2;
}

// The share of the cores from which on others' work is likely to run beside a step.
constexpr double load_share_max = 0.25;

}  // namespace

std::vector<std::string> cpu_warnings(const model::Environment& environment) {
  std::vector<std::string> warnings;
  if (!environment.machine) return warnings;
  const model::CpuState& state = *environment.machine;
  if (!state.governor.empty() && state.governor != "performance") {
    warnings.push_back(
        fmt::format("CPU governor `{}`: clocks follow the load, and submit times with them; set it to "
                    "`performance` (cpupower frequency-set -g performance)",
                    one_line(state.governor)));
  }
  const double quiet = load_share_max * static_cast<double>(environment.cores);
  if (state.load_average && *state.load_average > quiet) {
    warnings.push_back(
        fmt::format("load average {:.2f} on {} core{} before measuring: other work ran beside it; stop it, "
                    "or pin away from it with --cpu",
                    *state.load_average, environment.cores, environment.cores == 1 ? "" : "s"));
  }
  if (state.cpu_quota && *state.cpu_quota < cpus_needed(environment)) {
    warnings.push_back(
        fmt::format("control groups give this process the time of {:.3g} CPU{}: when it is used up all "
                    "threads stop, often for tens of milliseconds; raise the limit (docker --cpus, "
                    "Kubernetes limits.cpu) to {:.0f} or more",
                    *state.cpu_quota, *state.cpu_quota == 1 ? "" : "s", cpus_needed(environment)));
  }
  if (state.submitter && state.submitter->locality == "far") {
    warnings.push_back(
        "none of the CPUs that this process may use is near the GPU: every submission crosses to another "
        "processor; start it where one is (taskset, or the container's cpuset)");
  }
  if (state.submitter && state.submitter->cores == "efficiency") {
    warnings.push_back(
        "none of the CPUs that could submit is a performance core: submit times are those of a slower kind; "
        "start it where one is allowed (taskset, or the container's cpuset)");
  }
  if (!state.pinned) {
    warnings.push_back(
        "the submitting thread was not pinned: the scheduler may have moved it between CPUs; leave out "
        "--no-pin");
  }
  return warnings;
}

namespace {

void warn_of_throttling(const model::Result& result, std::vector<std::string>& warnings) {
  std::int64_t cells = 0;
  std::size_t samples = 0;
  std::set<std::string> reasons;
  for (const model::CellResult& cell : result.cells) {
    bool throttled = false;
    for (const model::Launch& launch : cell.launches) {
      if (!launch.machine || !launch.machine->throttled) continue;
      throttled = true;
      samples += launch.latency_samples.size() + launch.device_samples.size();
      if (const auto& after = launch.machine->after)
        reasons.insert(after->throttle.begin(), after->throttle.end());
    }
    cells += throttled ? 1 : 0;
  }
  if (cells == 0) return;
  warnings.push_back(
      fmt::format("{} cell{} ({} samples) held the device at a limit, and were throttled ({}): let it cool "
                  "or lift its power limit, and measure again; `launches[].machine` says which",
                  cells, cells == 1 ? "" : "s", samples, join(reasons)));
}

void warn_of_restless_loads(const model::Result& result, std::vector<std::string>& warnings) {
  const auto cells = std::ranges::count_if(result.cells, [](const model::CellResult& cell) {
    return std::ranges::any_of(cell.launches, [](const model::Launch& launch) {
      return launch.sustained && launch.sustained->stopped_by == "time";
    });
  });
  if (cells == 0) return;
  warnings.push_back(
      fmt::format("{} cell{} never became steady under load, so nothing is said of {} there: raise "
                  "--sustained, or leave the machine alone",
                  cells, cells == 1 ? "" : "s", cells == 1 ? "it" : "them"));
}

void warn_of_shared_cores(const model::Result& result, std::vector<std::string>& warnings) {
  std::int64_t cells = 0;
  double worst = 1;
  for (const model::CellResult& cell : result.cells) {
    double of_cell = 1;
    for (const model::Launch& launch : cell.launches) {
      if (launch.machine) of_cell = std::max(of_cell, launch.machine->cpu_slowdown.value_or(1));
    }
    if (of_cell > model::LaunchMachine::shared_core_slowdown) ++cells;
    worst = std::max(worst, of_cell);
  }
  if (cells == 0) return;
  warnings.push_back(
      fmt::format("{} cell{} {} measured while other work shared the submitting thread's core (a fixed "
                  "computation took up to {:.2f} times as long): submit and latency are longer for it; stop "
                  "that work, or name a quiet CPU with --cpu; `launches[].machine.cpu_slowdown` says which",
                  cells, cells == 1 ? "" : "s", cells == 1 ? "was" : "were", worst));
}

void warn_of_fallbacks(const model::Result& result, std::vector<std::string>& warnings) {
  std::map<std::pair<std::string, std::string>, std::int64_t> cells;  // (path, why) -> cells
  for (const model::CellResult& cell : result.cells) {
    for (const model::OpPath& path : cell.paths) {
      if (!path.fallback.empty()) ++cells[{path.path, path.fallback}];
    }
  }
  for (const auto& [way, count] : cells) {
    warnings.push_back(fmt::format("{} {} computed by `{}`, which is not the fastest way: {}", count,
                                   count == 1 ? "cell is" : "cells are", one_line(way.first),
                                   one_line(way.second)));
  }
}

// Cells that are not what their mode says, or whose graphs could not follow their caller.
void warn_of_callers(const model::Result& result, std::vector<std::string>& warnings) {
  std::int64_t eager = 0;
  std::int64_t refused = 0;
  std::string why_eager;
  std::string why_refused;
  for (const model::CellResult& cell : result.cells) {
    if (!cell.fallback.empty() && eager++ == 0 && cell.fallback_reason)
      why_eager = cell.fallback_reason->code + ": " + one_line(cell.fallback_reason->message);
    if (cell.caller_io && cell.caller_io->refused && refused++ == 0)
      why_refused = one_line(cell.caller_io->refused->message);
  }
  if (eager > 0)
    warnings.push_back(fmt::format("{} {} eager, because graphs cannot hold the program ({})", eager,
                                   eager == 1 ? "cell of a graph mode ran" : "cells of graph modes ran",
                                   why_eager));
  if (refused > 0)
    warnings.push_back(
        fmt::format("graph_update_failed in {} cell{}: updates were refused, and graphs instantiated again "
                    "within the step ({})",
                    refused, refused == 1 ? "" : "s", why_refused));
}

}  // namespace

std::string witness_line(const model::Result& result) {
  const model::CellResult* worst = nullptr;
  double worst_share = -1;
  std::vector<double> slowdowns;
  for (const model::CellResult& cell : result.cells) {
    if (!cell.profile || !cell.profile->witness) continue;
    const model::DeviceTimeCheck& witness = *cell.profile->witness;
    // A microsecond is what an event may be off by; in short steps that is a large share.
    const double share = std::abs(witness.difference_seconds - witness.events_seconds) /
                         std::max(witness.device_seconds, 50e-6);
    if (share > worst_share) {
      worst = &cell;
      worst_share = share;
    }
    if (cell.profile->slowdown) slowdowns.push_back(*cell.profile->slowdown);
  }
  if (worst == nullptr) return {};
  const model::DeviceTimeCheck& witness = *worst->profile->witness;
  std::string line = fmt::format(
      "witness: events say {}, activity records {}, {:+.2f}us beside the events' own {:.2f}us, in the worst "
      "cell {}",
      format_seconds(witness.device_seconds), format_seconds(witness.recorded_seconds),
      (witness.difference_seconds - witness.events_seconds) * 1e6, witness.events_seconds * 1e6,
      model::id_of(worst->cell));
  if (!slowdowns.empty()) {
    line += fmt::format("; recording makes steps {} as long (median)",
                        format_ratio(statistics::median(slowdowns)));
  }
  return line;
}

std::vector<std::string> instrument_warnings(const model::Result& result) {
  const model::Environment& environment = result.environment;
  std::vector<std::string> warnings = cpu_warnings(environment);
  warn_of_throttling(result, warnings);
  warn_of_restless_loads(result, warnings);
  warn_of_shared_cores(result, warnings);
  warn_of_fallbacks(result, warnings);
  warn_of_callers(result, warnings);
  if (environment.profiler && !environment.profiler->available) {
    warnings.push_back("no profile: " + one_line(environment.profiler->detail));
  }
  if (environment.device.kind == "cuda" && environment.monitor && !environment.monitor->available) {
    warnings.push_back("clocks, temperature and throttling are not known: " +
                       one_line(environment.monitor->detail));
  }
  if (result.plan.cold_l2) {
    warnings.push_back(
        "--cold-l2: latency and device time start with an empty cache; throughput does not, its steps run "
        "back to back");
  }
  return warnings;
}

}  // namespace graphbench::reporters
