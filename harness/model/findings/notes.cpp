// Writes the notes on a result: how reliable the numbers are, and other facts that change their meaning.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/model/findings/groups.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/vocabulary.hpp"
#include "reporters/format.hpp"

namespace graphbench::model {
namespace {

using reporters::one_line;

struct Doubt {
  std::string why;
  std::string advice;
};

// Returns how many CPUs a worker uses: all cores on the host device, else two, because a GPU's worker
// sometimes runs another thread beside the submitting thread.
double cpus_needed(const Environment& environment) {
  return environment.device.kind == "host" ? static_cast<double>(environment.cores) : 2;
}

// If more than this share of cores is busy, other work probably runs during steps.
constexpr double load_share_max = 0.25;
// A cell's latency is known if its 95 % interval over launches reaches no farther than this from its median.
constexpr double known_within = 0.10;
// A larger share of cells whose latency is not known, or that ran hot, lowers the trust.
constexpr double doubtful_share_max = 0.05;
// If the numbers are doubtful and the sweep had fewer launches, the note advises this many.
constexpr std::int64_t launches_wanted = 5;

std::optional<double> high_load(const Environment& environment) {
  const auto& machine = environment.machine;
  if (!machine ||
      machine->load_average.value_or(0) <= load_share_max * static_cast<double>(environment.cores))
    return std::nullopt;
  return machine->load_average;
}

std::vector<Doubt> doubts_of(const Environment& environment) {
  std::vector<Doubt> doubts;
  if (!environment.machine) return doubts;
  const CpuState& state = *environment.machine;
  if (const std::optional<double> load = high_load(environment))
    doubts.push_back(
        {fmt::format("load {:.1f} on {}", *load, plural(environment.cores, "core")), "stop other work"});
  if (!state.governor.empty() && state.governor != "performance")
    doubts.push_back(
        {fmt::format("CPU governor {}", one_line(state.governor)), "cpupower frequency-set -g performance"});
  if (state.cpu_quota && *state.cpu_quota < cpus_needed(environment))
    doubts.push_back({fmt::format("a quota of {:.3g} CPUs", *state.cpu_quota),
                      fmt::format("raise the quota to {:.0f}", cpus_needed(environment))});
  if (state.submitter && state.submitter->locality == "far")
    doubts.push_back(
        {"the submitting CPU is far from the GPU", "start graphbench on a CPU near the GPU (taskset)"});
  if (state.submitter && state.submitter->cores == "efficiency")
    doubts.push_back(
        {"the submitting CPU is an efficiency core", "start graphbench on a performance core (taskset)"});
  if (!state.pinned) doubts.push_back({"the submitting thread was not pinned", "leave out --no-pin"});
  return doubts;
}

template <typename Is>
std::vector<const CellResult*> cells_where(const Result& result, Is&& is) {
  std::vector<const CellResult*> cells;
  for (const CellResult& cell : result.cells) {
    if (is(cell)) cells.push_back(&cell);
  }
  return cells;
}

std::vector<std::string> ids_of(const std::vector<const CellResult*>& cells) {
  std::vector<std::string> ids;
  for (const CellResult* cell : cells) ids.push_back(id_of(cell->cell));
  return ids;
}

bool is_known(const CellResult& cell) {
  const auto& latency = cell.summary.latency_seconds;
  return !latency || !latency->ci95_low ||
         std::log(*latency->ci95_high / *latency->ci95_low) / 2 <= std::log1p(known_within);
}

// Other work ran on the core of the submitting thread, by the probe before each visit.
bool was_disturbed(const Launch& launch) {
  return launch.machine && launch.machine->cpu_slowdown.value_or(1) > LaunchMachine::shared_core_slowdown;
}

// The card's own power limit is a fact about the card. Heat is a state that passes.
constexpr std::string_view power_limit = "sw_power_cap";

std::set<std::string> throttle_of(const Launch& launch) {
  if (!launch.machine || !launch.machine->throttled || !launch.machine->after) return {};
  const std::vector<std::string>& reasons = launch.machine->after->throttle;
  return {reasons.begin(), reasons.end()};
}

bool was_limited(const Launch& launch) {
  return throttle_of(launch) == std::set{std::string(power_limit)};
}

bool was_hot(const Launch& launch) {
  return launch.machine && launch.machine->throttled && !was_limited(launch);
}

// Half of the launches or more can move the median over launches.
template <typename Is>
auto in_half_of_launches(Is is) {
  return [is](const CellResult& cell) {
    return !cell.launches.empty() &&
           2 * std::ranges::count_if(cell.launches, is) >= std::ssize(cell.launches);
  };
}

std::string heat_text(const std::vector<const CellResult*>& cells) {
  std::set<std::string> reasons;
  for (const CellResult* cell : cells) {
    for (const Launch& launch : cell->launches) {
      if (was_hot(launch)) reasons.merge(throttle_of(launch));
    }
  }
  reasons.erase(std::string(power_limit));
  return reasons.empty() ? "throttled" : "throttled by " + join(reasons, "+");
}

Note trust_note(const std::vector<Doubt>& doubts, const std::string& then) {
  if (doubts.empty()) return {"trust_high", "trust: high"};
  std::vector<std::string> advice;
  for (const Doubt& doubt : doubts) {
    if (!doubt.advice.empty() && !contains(advice, doubt.advice)) advice.push_back(doubt.advice);
  }
  if (!then.empty()) advice.push_back((advice.empty() ? "" : "then ") + then);
  const std::string why = join(doubts, ", ", &Doubt::why);
  return {"trust_low",
          fmt::format("trust: low ({}){}{}", why, advice.empty() ? "" : ": ", join(advice, ", "))};
}

// "2 eager, 1 whole"
std::string by_mode(const std::vector<const CellResult*>& cells) {
  std::map<std::string, std::int64_t> counts;
  for (const CellResult* cell : cells) ++counts[cell->cell.mode];
  std::vector<std::string> words;
  for (const auto& [mode, count] : counts) words.push_back(fmt::format("{} {}", count, mode));
  return join(words, ", ");
}

Note trust_in(const Result& result) {
  std::vector<Doubt> doubts = doubts_of(result.environment);
  std::vector<std::string> ids;
  const auto add = [&](const std::vector<const CellResult*>& found, const std::string& what,
                       const char* advice) {
    if (static_cast<double>(found.size()) <= doubtful_share_max * static_cast<double>(result.cells.size()))
      return false;
    doubts.push_back(
        {fmt::format("{} of {} cells {}: {}", found.size(), result.cells.size(), what, by_mode(found)),
         advice});
    for (const CellResult* cell : found) {
      if (std::string id = id_of(cell->cell); !contains(ids, id)) ids.push_back(std::move(id));
    }
    return true;
  };
  const auto unknown = cells_where(result, std::not_fn(is_known));
  const bool disturbed = std::ranges::any_of(
      unknown, [](const CellResult* cell) { return in_half_of_launches(was_disturbed)(*cell); });
  const bool is_unknown = add(unknown, fmt::format("known to no better than {:.0f} %", 100 * known_within),
                              disturbed ? "stop other work" : "");
  const auto hot = cells_where(result, in_half_of_launches(was_hot));
  add(hot, heat_text(hot), "let the device cool");
  const std::int64_t launches = result.plan.launches;
  if (launches < launches_for_intervals) doubts.push_back({launches == 1 ? "1 launch" : "2 launches", ""});
  const std::int64_t wanted = launches < launches_wanted ? launches_wanted : is_unknown ? 2 * launches : 0;
  const std::string now = is_unknown ? fmt::format(" instead of {}", launches) : "";
  Note note = trust_note(doubts, wanted > 0 ? fmt::format("--launches {}{}", wanted, now) : "");
  note.cells = std::move(ids);
  return note;
}

// Adds one note on all cells for which `text_of` returns a text. The note shows the first of these texts.
using Notes = std::vector<Note>;
template <typename TextOf>
void add_first(Notes& notes, const Result& result, const char* code, TextOf&& text_of) {
  Note note{code, ""};
  for (const CellResult& cell : result.cells) {
    const std::string text = text_of(cell);
    if (text.empty()) continue;
    if (note.cells.empty()) note.text = text;
    note.cells.push_back(id_of(cell.cell));
  }
  if (note.cells.empty()) return;
  note.text = fmt::format("{}: {}", plural(std::ssize(note.cells), "cell"), note.text);
  notes.push_back(std::move(note));
}

bool is_ok(const CellResult& cell) {
  return cell.status == CellStatus::ok;
}

void add_outputs(Notes& notes, const Result& result) {
  const auto differ = [](bool tolerated, const char* text) {
    return [=](const CellResult& cell) {
      const bool differs = is_ok(cell) && cell.check && !cell.check->identical;
      return differs && cell.check->tolerated.has_value() == tolerated ? text : "";
    };
  };
  add_first(
      notes, result, "outputs_differ",
      differ(false, "outputs differ from their reference; do not trust their times, and report a defect"));
  add_first(notes, result, "outputs_near", [](const CellResult& cell) -> std::string {
    return is_ok(cell) && cell.check ? cell.check->tolerated.value_or("") : "";
  });
  add_first(notes, result, "check_remark", [](const CellResult& cell) -> std::string {
    return is_ok(cell) && cell.check && !cell.check->remarks.empty() ? cell.check->remarks.front() : "";
  });
}

// Adds a note if graphs are not the only cause of a gain: code took other branches, or a compiler fused ops.
// Adds another note if a Python thread was busy.
void add_programs(Notes& notes, const Result& result) {
  add_first(notes, result, "two_programs", [](const CellResult& cell) -> std::string {
    if (!is_ok(cell) || !cell.records || !leaves_out_work(*cell.records)) return "";
    return fmt::format(
        "the program is not eager's, so the gain (*) is not due to graphs alone; {}: {} "
        "(`records.differences`)",
        id_of(cell.cell), program_text(*cell.records));
  });
  add_first(notes, result, "framework_kernels", [](const CellResult& cell) -> std::string {
    if (!is_ok(cell) || !cell.records || !cell.records->framework_kernels) return "";
    return fmt::format(
        "beside the step's graph its framework enqueues {}, for example to copy inputs, or for the state of "
        "a random number generator (`records.framework_kernels`)",
        plural(*cell.records->framework_kernels, "operation"));
  });
  // If another Python thread computes, a callback into Python waits up to 5 ms for the interpreter's lock.
  add_first(notes, result, "busy_threads", [](const CellResult& cell) -> std::string {
    const auto busy = cell.library.find("busy_threads");
    if (!is_ok(cell) || busy == cell.library.end()) return "";
    return fmt::format("Python's thread {} was busy: steps that Python runs wait up to 5 ms for it",
                       one_line(busy->second.text));
  });
  add_first(notes, result, "inputs_kept", [](const CellResult& cell) -> std::string {
    if (!is_ok(cell) || !cell.check || !cell.check->inputs || cell.check->inputs->kept_because.empty())
      return "";
    return "the check ran on the values that the step was built with: " + cell.check->inputs->kept_because;
  });
}

// Adds notes on graphs that a library did not take.
void add_graphs(Notes& notes, const Result& result) {
  add_first(notes, result, "no_graph", [](const CellResult& cell) -> std::string {
    if (!is_ok(cell) || !took_no_graph(cell)) return "";
    return "no kernel ran in a graph, so nothing is said of a gain: " + id_of(cell.cell) + skips_text(cell);
  });
  add_first(notes, result, "graphed_in_part", [](const CellResult& cell) -> std::string {
    const auto in_part = graphed_in_part(cell);
    if (!is_ok(cell) || !in_part) return "";
    return fmt::format("{} ran in graphs: {}{}", *in_part, id_of(cell.cell), skips_text(cell));
  });
  add_first(notes, result, "graphs_unknown", [](const CellResult& cell) -> std::string {
    if (!is_ok(cell) || !is_graph_mode(cell.cell.mode) || cell.summary.graphed || cell.capture_skips.empty())
      return "";
    return "without activity records it is unknown which part ran in graphs: " + id_of(cell.cell) +
           skips_text(cell);
  });
}

// Adds notes on cells that ran in mode eager instead of their own, or not in the fastest way.
void add_ways(Notes& notes, const Result& result) {
  add_first(notes, result, "ran_eager", [](const CellResult& cell) -> std::string {
    if (cell.fallback.empty()) return "";
    const Reason why = cell.fallback_reason.value_or(Reason{"internal", "no reason"});
    return fmt::format("ran in mode eager, because the mode cannot hold the step ({}: {})", why.code,
                       one_line(why.message));
  });
  add_first(notes, result, "updates_refused", [](const CellResult& cell) -> std::string {
    if (!cell.caller_io || !cell.caller_io->refused) return "";
    return fmt::format(
        "an update was refused (graph_update_failed), so graphs were instantiated again within the step ({})",
        one_line(cell.caller_io->refused->message));
  });
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> slow;  // (path, why) -> cells
  for (const CellResult& cell : result.cells) {
    for (const OpPath& path : cell.paths) {
      if (!path.fallback.empty()) slow[{path.path, path.fallback}].push_back(id_of(cell.cell));
    }
  }
  for (auto& [way, cells] : slow) {
    const std::string text =
        fmt::format("{}: computed by `{}`, which is not the fastest kernel: {}",
                    plural(std::ssize(cells), "cell"), one_line(way.first), one_line(way.second));
    notes.push_back({"slow_path", text, std::move(cells)});
  }
}

void add_instruments(Notes& notes, const Result& result) {
  add_first(notes, result, "never_steady", [](const CellResult& cell) -> std::string {
    const bool restless = std::ranges::any_of(cell.launches, [](const Launch& launch) {
      return launch.sustained && launch.sustained->stopped_by == "time";
    });
    return restless
               ? "never became steady under load, so the latency under load is unknown: raise --sustained"
               : "";
  });
  const Environment& environment = result.environment;
  if (environment.profiler && !environment.profiler->available)
    notes.push_back({"no_profile", "no profile: " + one_line(environment.profiler->detail)});
  if (environment.device.kind == "cuda" && environment.monitor && !environment.monitor->available)
    notes.push_back({"no_monitor", "clocks, temperature and throttling are not known: " +
                                       one_line(environment.monitor->detail)});
}

// Adds the facts about a card that ran at its own limit, and about device times that contain more than a
// step.
void add_device_facts(Notes& notes, const Result& result) {
  const auto limited = cells_where(result, in_half_of_launches(was_limited));
  if (!limited.empty())
    notes.push_back({"power_limit",
                     fmt::format("{} of {} cells ran at the card's power limit ({}), so at a lower clock",
                                 limited.size(), result.cells.size(), power_limit),
                     ids_of(limited)});
  add_first(notes, result, "device_above_latency", [](const CellResult& cell) -> std::string {
    const auto& device = cell.summary.device_seconds;
    const auto& latency = cell.summary.latency_seconds;
    const bool is_above = device && latency && device->ci95_low && latency->ci95_high &&
                          *device->ci95_low > *latency->ci95_high;
    if (!is_above) return "";
    return fmt::format(
        "device time is above latency ({} above {} in {}), because the two are measured in passes of their "
        "own, and device time contains its two events",
        reporters::format_seconds(device->p50), reporters::format_seconds(latency->p50), id_of(cell.cell));
  });
}

// Adds a note on DeviceTimeCheck: the cell with the largest difference, and how much recording slows steps.
void add_witness(Notes& notes, const Result& result) {
  const CellResult* worst = nullptr;
  double worst_share = -1;
  std::vector<double> slowdowns;
  for (const CellResult& cell : result.cells) {
    if (!cell.profile || !cell.profile->witness) continue;
    const DeviceTimeCheck& witness = *cell.profile->witness;
    // An event may be wrong by 1 us, a large share of a short step, so the divisor is at least 50 us.
    const double share = std::abs(witness.difference_seconds - witness.events_seconds) /
                         std::max(witness.device_seconds, 50e-6);
    if (share > worst_share) {
      worst = &cell;
      worst_share = share;
    }
    if (cell.profile->slowdown) slowdowns.push_back(*cell.profile->slowdown);
  }
  if (worst == nullptr) return;
  const DeviceTimeCheck& witness = *worst->profile->witness;
  std::string text = fmt::format(
      "instruments: device time is {} by events and {} by activity records; without the events' own {:.2f}us "
      "the difference is {:+.2f}us; worst cell {}",
      reporters::format_seconds(witness.device_seconds), reporters::format_seconds(witness.recorded_seconds),
      witness.events_seconds * 1e6, (witness.difference_seconds - witness.events_seconds) * 1e6,
      id_of(worst->cell));
  if (!slowdowns.empty())
    text += fmt::format("; recording makes steps {} as long (median)",
                        reporters::format_ratio(median(slowdowns)));
  notes.push_back({"witness", std::move(text), {id_of(worst->cell)}});
}

// What a run without a GPU did show, and what only a GPU shows.
std::string host_text(const Result& result) {
  std::string text = "device `host`: times are of CPU threads, not of a GPU";
  if (!result.environment.no_gpu.empty()) text += ": " + one_line(result.environment.no_gpu);
  if (result.environment.device.libraries.contains("torch"))
    return text +
           "; PyTorch's steps run only in mode eager, so nothing is said about graphs: run the sweep on "
           "a GPU";
  const auto ok = cells_where(result, is_ok);
  const auto same =
      std::ranges::count_if(ok, [](const CellResult* cell) { return cell->check && cell->check->identical; });
  if (!ok.empty() && same == std::ssize(ok))
    text += fmt::format("; all modes computed the same outputs in {}; only a GPU shows what graphs gain",
                        plural(same, "cell"));
  return text;
}

}  // namespace

bool is_busy(const Environment& environment) {
  return high_load(environment).has_value();
}

Note trust_in(const Environment& environment) {
  return trust_note(doubts_of(environment), "");
}

std::vector<Note> notes_of(const Result& result) {
  const std::string& elsewhere = result.trust_elsewhere;
  Notes notes = {elsewhere.empty()
                     ? trust_in(result)
                     : Note{elsewhere.starts_with("trust: low") ? "trust_low" : "trust_high", elsewhere}};
  if (!result.complete)
    notes.push_back(
        {"interrupted", "the sweep was interrupted: only cells that were measured before are shown"});
  for (const std::string& sentence : result.plan.without_effect)
    notes.push_back({"without_effect", one_line(sentence)});
  add_outputs(notes, result);
  add_programs(notes, result);
  add_graphs(notes, result);
  add_ways(notes, result);
  add_instruments(notes, result);
  add_device_facts(notes, result);
  add_witness(notes, result);
  const DeviceFacts& device = result.environment.device;
  if (device.kind == "host") notes.push_back({"host_device", host_text(result)});
  return notes;
}

}  // namespace graphbench::model
