// Writes the conclusions on the cost of graphs: the cost before the first replay, the replays that pay this
// cost back, the warmups that are needed, and the cells without results.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/model/findings/groups.hpp"
#include "harness/model/statistics/launch_intervals.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/statistics/setup_cost.hpp"
#include "harness/model/vocabulary.hpp"
#include "reporters/format.hpp"

namespace graphbench::model {
namespace {

using reporters::format_bytes;
using reporters::format_count;
using reporters::format_seconds;

std::vector<const CellResult*> cells_of(const CellGroup& group, const std::string& mode) {
  std::vector<const CellResult*> cells;
  for (const std::int64_t batch : group.batches) {
    if (const CellResult* cell = group.at(batch, mode)) cells.push_back(cell);
  }
  return cells;
}

// Says how long compiling all sizes took, in a launch that found the code in the compiler's cache and in one
// that did not: " (compiled: 14.2s cold, 2.10s from the cache)". Empty if no compiler has a cache.
std::string compiled_text(const std::vector<const CellResult*>& cells, const std::string& mode,
                          Conclusion& conclusion) {
  std::vector<std::string> texts;
  for (const auto& [from, name] :
       {std::pair{"cold", "cold"}, {"cache", "from the cache"}, {"both", "in part from the cache"}}) {
    double seconds = 0;
    for (const CellResult* cell : cells) {
      const auto launch = std::ranges::find(cell->launches, from,
                                            [](const Launch& each) { return each.setup.compiled_from; });
      if (launch != cell->launches.end()) seconds += launch->setup.opening.compile_seconds.value_or(0);
    }
    if (seconds == 0) continue;
    texts.push_back(format_seconds(seconds) + " " + name);
    conclusion.figures[mode + "_compile_seconds_" + from] = seconds;
  }
  return texts.empty() ? "" : " (compiled: " + join(texts, ", ") + ")";
}

// Adds what the graphs of all sizes take together: "whole takes 4.31ms to set up, ~1.80 MB of memory for
// graphs, 4.19 MB for their pool". "~" means that the number is not exact, because drivers allocate memory in
// blocks.
void add_cost(const std::string& mode, const std::vector<const CellResult*>& cells, const char* to_set_up,
              Conclusion& conclusion) {
  double setup = 0;
  std::int64_t exec_bytes = 0;
  std::int64_t pool_bytes = 0;
  for (const CellResult* cell : cells) {
    setup += setup_over(cell->launches, setup_seconds).value_or(0);
    if (!cell->memory) continue;
    exec_bytes += cell->memory->exec_bytes.value_or(0);
    pool_bytes = std::max(pool_bytes, cell->memory->pool_bytes);
  }
  // The first mode's numbers name what they are of; the others' repeat it shortly.
  const bool first = conclusion.figures.empty();
  const char* of_memory = first ? " of memory" : "";
  conclusion.text += mode + (first ? " takes " : " ") + format_seconds(setup) + (first ? to_set_up : "");
  conclusion.text += compiled_text(cells, mode, conclusion);
  conclusion.figures[mode + "_setup_seconds"] = setup;
  conclusion.shown.push_back({"set-up of all sizes", mode, {}, format_seconds(setup)});
  if (exec_bytes > 0) {
    const std::string bytes = "~" + format_bytes(exec_bytes);
    conclusion.text += ", " + bytes + std::exchange(of_memory, "") + " for graphs";
    conclusion.figures[mode + "_exec_bytes"] = static_cast<double>(exec_bytes);
    conclusion.shown.push_back({"memory of graphs", mode, {}, bytes});
  }
  if (pool_bytes > 0) {
    const std::string bytes = format_bytes(pool_bytes);
    conclusion.text += ", " + bytes + of_memory + " for their pool";
    conclusion.figures[mode + "_pool_bytes"] = static_cast<double>(pool_bytes);
    conclusion.shown.push_back({"memory of their pool", mode, {}, bytes});
  }
}

// Whether the times of setups are of later ones in a process, which lack what only its first one pays.
bool are_later_setups(const CellGroup& group) {
  return std::ranges::any_of(group.cells, [](const CellResult* cell) {
    return std::ranges::any_of(cell->launches, [](const Launch& launch) { return launch.setups.size() > 1; });
  });
}

void conclude_setup(const CellGroup& group, std::vector<Conclusion>& conclusions) {
  Conclusion conclusion = group.conclusion("cost");
  for (const std::string& mode : group.graph_modes) {
    const std::vector<const CellResult*> cells = cells_of(group, mode);
    if (cells.empty()) continue;
    conclusion.text += !conclusion.text.empty() ? "; "
                       : cells.size() == 1      ? "1 size: "
                                                : fmt::format("All {} sizes together: ", cells.size());
    add_cost(mode, cells, are_later_setups(group) ? " to set up again" : " to set up", conclusion);
    for (const CellResult* cell : cells) conclusion.cells.push_back(id_of(cell->cell));
    conclusion.figures[mode + "_sizes"] = static_cast<double>(cells.size());
  }
  if (conclusion.text.empty()) return;
  conclusion.text += ".";
  conclusions.push_back(std::move(conclusion));
}

// The stages of a process's start-up that graphs cause, in their order.
std::string stages_text(const Startup& startup) {
  std::vector<std::string> texts;
  const auto add = [&](const char* name, std::optional<double> seconds) {
    if (seconds) texts.push_back(fmt::format("{} {}", name, format_seconds(*seconds)));
  };
  add("compile", startup.opening.compile_seconds);
  add("record", startup.opening.record_seconds);
  add("warmups", startup.warmup_seconds);
  add("capture", startup.capture_seconds);
  add("between captures", startup.break_seconds);
  add("instantiate", startup.instantiate_seconds);
  add("upload", startup.upload_seconds);
  add("first steps", startup.first_step_seconds);
  return join(texts, ", ");
}

// Adds what a process pays until all graphs of a mode have run once. All cells of a task have the same.
void conclude_startup(const CellGroup& group, std::vector<Conclusion>& conclusions) {
  Conclusion conclusion = group.conclusion("startup");
  const Startup* shown = nullptr;
  for (const std::string& mode : group.graph_modes) {
    const std::vector<const CellResult*> cells = cells_of(group, mode);
    if (cells.empty() || !cells.front()->summary.startup_seconds) continue;
    const CellSummary& summary = cells.front()->summary;
    conclusion.text += (conclusion.text.empty() ? "Start-up with " : ", with ") + mode +
                       (shown == nullptr ? " takes " : " ") + format_seconds(*summary.startup_seconds);
    const std::string interval = summary.startup_ci95_low
                                     ? fmt::format("[{}, {}]", format_seconds(*summary.startup_ci95_low),
                                                   format_seconds(*summary.startup_ci95_high))
                                     : "";
    if (!interval.empty()) conclusion.text += " " + interval;
    conclusion.figures[mode + "_startup_seconds"] = *summary.startup_seconds;
    conclusion.shown.push_back({"start-up", mode, {}, format_seconds(*summary.startup_seconds), interval});
    conclusion.cells.push_back(id_of(cells.front()->cell));
    if (shown != nullptr) continue;
    shown = middle_startup(cells.front()->launches);
    conclusion.text += " (" + stages_text(*shown) + ")";
  }
  if (shown == nullptr) return;
  conclusion.text +=
      fmt::format(", {}after {} to start the process and build the step.",
                  conclusion.cells.size() > 1 ? "each " : "", format_seconds(build_seconds(*shown)));
  conclusion.figures["build_seconds"] = build_seconds(*shown);
  conclusion.shown.push_back({"process and step before it", "", {}, format_seconds(build_seconds(*shown))});
  conclusions.push_back(std::move(conclusion));
}

// Returns whether graphs never gain. False without a confidence interval, because a gain is then possible.
bool is_never(const CellResult& cell) {
  const CellSummary& summary = cell.summary;
  if (!summary.speedup_ci95_high) return false;
  return summary.no_breakeven ? summary.no_breakeven == NoBreakeven::never : *summary.speedup_ci95_high < 1;
}

void conclude_payback(const CellGroup& group, std::vector<Conclusion>& conclusions) {
  const std::string mode = group.first_graph_mode();
  Conclusion conclusion = group.conclusion("payback");
  std::vector<std::int64_t> never;
  std::vector<std::int64_t> unknown;
  std::vector<double> steps;
  bool rough = false;
  for (const CellResult* cell : cells_of(group, mode)) {
    if (cell->summary.no_breakeven == NoBreakeven::eager_not_swept || !cell->summary.speedup_over_eager)
      continue;
    conclusion.cells.push_back(id_of(cell->cell));
    if (cell->summary.breakeven_steps && surely_gains(group, *cell)) {
      steps.push_back(*cell->summary.breakeven_steps);
      rough = rough || !cell->summary.breakeven_ci95_low;
    } else {
      (is_never(*cell) ? never : unknown).push_back(cell->cell.batch);
    }
  }
  if (conclusion.cells.empty()) return;
  std::string text = fmt::format("{} set-up of {}", steps.empty() ? "When the" : "The", mode);
  if (group.warmup > 0) text += fmt::format(" (and {})", plural(group.warmup, "warmup"));
  text += " is paid back";
  if (!steps.empty()) {
    const auto [least, most] = std::ranges::minmax(steps);
    std::string replays = (rough ? "~" : "") + format_count(least);
    if (most > least) replays += " to " + format_count(most);
    replays += most == 1 ? " replay" : " replays";
    text += " after " + replays;
    if (most > least) text += ", by batch";
    conclusion.shown.push_back({"paid back after", mode, {}, replays});
    conclusion.figures = {{"replays_min", least}, {"replays_max", most}};
  }
  const char* separator = steps.empty() ? ": " : "; ";
  const auto add = [&](const char* word, const std::vector<std::int64_t>& batches) {
    if (!batches.empty()) text += std::exchange(separator, "; ") + (word + group.batches_text(batches));
  };
  add("never at batch ", never);
  add("unknown at batch ", unknown);
  conclusion.text = text + ".";
  conclusions.push_back(std::move(conclusion));
}

// Says what PyTorch keeps in each mode: weights, static tensors and what graphs share. All sizes of a mode
// are in one process.
void conclude_kept_memory(const CellGroup& group, std::vector<Conclusion>& conclusions) {
  Conclusion conclusion = group.conclusion("memory_kept");
  std::vector<std::string> modes = group.graph_modes;
  modes.insert(modes.begin(), reference_mode().name);
  std::vector<std::string> texts;
  for (const std::string& mode : modes) {
    std::int64_t kept = 0;
    for (const std::int64_t batch : group.batches) {
      const CellResult* cell = group.at(batch, mode);
      if (cell == nullptr || !cell->library.contains("memory_reserved")) continue;
      kept = std::max(kept, to_number<std::int64_t>(cell->library.at("memory_reserved").text).value_or(0));
      conclusion.cells.push_back(id_of(cell->cell));
    }
    if (kept == 0) continue;
    texts.push_back(format_bytes(kept) + " in " + mode);
    conclusion.figures[mode + "_kept_bytes"] = static_cast<double>(kept);
    conclusion.shown.push_back({"memory that PyTorch keeps", mode, {}, format_bytes(kept)});
  }
  if (texts.empty()) return;
  conclusion.text = "PyTorch keeps " + join(texts, ", ") + ", for all sizes of a mode together.";
  conclusions.push_back(std::move(conclusion));
}

// Names what no sweep measures: the memory that a foreign step's graphs take.
void conclude_memory(const CellGroup& group, std::vector<Conclusion>& conclusions) {
  Conclusion conclusion = group.conclusion("memory_unknown");
  for (const CellResult* cell : group.cells) {
    if (cell->status == CellStatus::ok && is_graph_mode(cell->cell.mode) && !cell->memory &&
        cell->cell.preset == of_its_own)
      conclusion.cells.push_back(id_of(cell->cell));
  }
  // The host device has no graphs that take memory.
  if (conclusion.cells.empty() || group.result.environment.device.kind == "host") return;
  conclusion.text = "What the driver takes for this step's graphs: graphbench bill measures it.";
  conclusions.push_back(std::move(conclusion));
}

// Adds the phases' shares of a training step's device time, at the largest batch with timed phases.
void conclude_phases(const CellGroup& group, std::vector<Conclusion>& conclusions) {
  for (auto batch = group.batches.rbegin(); batch != group.batches.rend(); ++batch) {
    const CellResult* eager = group.at(*batch, reference_mode().name);
    if (eager == nullptr || !eager->training) continue;
    const Training& phases = *eager->training;
    if (!phases.forward_seconds || !phases.backward_seconds || !phases.optimizer_seconds) continue;
    const double sum = *phases.forward_seconds + *phases.backward_seconds + *phases.optimizer_seconds;
    if (sum <= 0) continue;
    Conclusion conclusion = group.conclusion("phases");
    conclusion.cells.push_back(id_of(eager->cell));
    conclusion.figures = {{"forward_share", *phases.forward_seconds / sum},
                          {"backward_share", *phases.backward_seconds / sum},
                          {"optimizer_share", *phases.optimizer_seconds / sum}};
    conclusion.text = fmt::format(
        "At {} forward takes {:.0f} % of eager's device time, backward {:.0f} %, the optimizer {:.0f} %.",
        *batch, 100 * *phases.forward_seconds / sum, 100 * *phases.backward_seconds / sum,
        100 * *phases.optimizer_seconds / sum);
    return conclusions.push_back(std::move(conclusion));
  }
}

using Number = double (*)(const Launch& launch);
struct Quantity {
  const char* name;
  Number number;
};
// The times that warmups can change, from the first setup of each process, where the changes are largest.
constexpr Quantity quantities[] = {
    {"set-up", [](const Launch& launch) { return setup_seconds(launch.setup); }},
    {"first step", [](const Launch& launch) { return launch.setup.first_step_seconds; }}};

struct Warmed {
  std::int64_t warmups = 0;
  Estimate estimate = {};  // over all launches, whose interval decides
  double shown = 0;        // the median over those launches that the table's median has
};

std::optional<Warmed> over_launches(const CellResult* cell, Number number) {
  if (cell == nullptr) return std::nullopt;
  std::vector<double> all;
  std::vector<double> shown;
  for (const Launch& launch : cell->launches) {
    all.push_back(number(launch));
    if (has_later_setups(cell->launches, launch)) shown.push_back(all.back());
  }
  const auto estimate = estimate_over(all);
  if (!estimate || estimate->p50 <= 0) return std::nullopt;
  return Warmed{cell->cell.warmup, *estimate, median(std::move(shown))};
}

// A median of at least this many times the best median is clearly worse, even if their intervals overlap.
constexpr double untold_excess = 1.5;

class WarmupSeries {
 public:
  WarmupSeries(const CellGroup& group, std::int64_t batch, const std::string& mode, const Quantity& quantity)
      : name_(fmt::format("{}'s {} at batch {}", mode, quantity.name, batch)) {
    for (const std::int64_t warmup : group.warmups) {
      if (const auto warmed = over_launches(group.at(batch, mode, warmup), quantity.number))
        series_.push_back(*warmed);
    }
  }
  bool has_intervals() const {
    return series_.size() > 1 &&
           std::ranges::all_of(series_, [](const auto& each) { return each.estimate.ci95_low.has_value(); });
  }
  // False if enough() accepts a median far above the best one, because the intervals are too wide.
  bool is_told() const {
    return std::ranges::all_of(series_, [&](const auto& each) {
      return each.warmups < enough() || each.estimate.p50 < untold_excess * best().estimate.p50;
    });
  }
  // Returns the fewest warmups from which on each interval overlaps that of the best (smallest) median.
  std::int64_t enough() const {
    std::int64_t enough = series_.back().warmups;
    for (auto each = series_.rbegin(); each != series_.rend(); ++each) {
      if (*each->estimate.ci95_low > *best().estimate.ci95_high) break;
      enough = each->warmups;
    }
    return enough;
  }
  double excess() const { return series_.front().estimate.p50 / best().estimate.p50; }
  std::string text(Conclusion& conclusion) const {
    const Warmed& fewest = series_.front();
    conclusion.figures["fewest_seconds"] = fewest.shown;
    const double least = std::ranges::min_element(series_, {}, &Warmed::shown)->shown;
    conclusion.figures["best_seconds"] = least;
    return fmt::format("{}: {} with {}, {} at best", name_, format_seconds(fewest.shown),
                       plural(fewest.warmups, "warmup"), format_seconds(least));
  }

 private:
  const Warmed& best() const {
    return *std::ranges::min_element(series_, {}, [](const auto& each) { return each.estimate.p50; });
  }

  std::string name_;
  std::vector<Warmed> series_;  // by warmups, ascending
};

void conclude_warmups(const CellGroup& group, std::vector<Conclusion>& conclusions) {
  if (group.warmups.size() < 2 || group.graph_modes.empty()) return;
  Conclusion conclusion = group.conclusion("warmups");
  std::optional<WarmupSeries> worst;
  std::int64_t enough = 0;
  bool is_told = true;
  for (const std::int64_t batch : group.batches) {
    for (const std::string& mode : group.graph_modes) {
      for (const Quantity& quantity : quantities) {
        const WarmupSeries series(group, batch, mode, quantity);
        if (!series.has_intervals()) continue;
        is_told = is_told && series.is_told();
        enough = std::max(enough, series.enough());
        if (!worst || series.excess() > worst->excess()) worst = series;
      }
    }
  }
  for (const CellResult* cell : group.cells) conclusion.cells.push_back(id_of(cell->cell));
  if (!worst || !is_told) {
    const std::int64_t launches = group.result.plan.launches;
    conclusion.text =
        fmt::format("These launches do not show how many warmups are enough: --launches {} may show it.",
                    launches < launches_for_intervals ? 5 : 2 * launches);
  } else {
    conclusion.figures["enough"] = static_cast<double>(enough);
    conclusion.text = enough == 0 ? "No warmup is needed"
                                  : plural(enough, "warmup") + (enough == 1 ? " is" : " are") + " enough";
    conclusion.text += fmt::format(" ({}).", worst->text(conclusion));
  }
  conclusions.push_back(std::move(conclusion));
}

void conclude_failures(const CellGroup& group, std::vector<Conclusion>& conclusions) {
  std::vector<std::pair<std::string, std::string>> causes;  // mode, code
  for (const CellResult* cell : group.cells) {
    if (cell->status == CellStatus::ok) continue;
    const std::pair cause(cell->cell.mode, cell->reason ? cell->reason->code : "interrupted");
    if (!contains(causes, cause)) causes.push_back(cause);
  }
  // Modes that lack the same batches for one reason share a sentence, such as those that a host has not.
  struct Missing {
    std::string code;
    std::vector<std::int64_t> batches;
    std::vector<std::string> modes;
    std::vector<std::string> cells;
  };
  std::vector<Missing> all;
  for (const auto& [mode, code] : causes) {
    Missing missing{.code = code, .batches = {}, .modes = {mode}, .cells = {}};
    for (const CellResult* cell : group.cells) {
      const std::string why = cell->reason ? cell->reason->code : "interrupted";
      if (cell->status == CellStatus::ok || cell->cell.mode != mode || why != code) continue;
      missing.cells.push_back(id_of(cell->cell));
      missing.batches.push_back(cell->cell.batch);
    }
    const auto like = std::ranges::find_if(all, [&](const Missing& each) {
      return each.code == missing.code && each.batches == missing.batches;
    });
    if (like == all.end()) {
      all.push_back(std::move(missing));
    } else {
      like->modes.push_back(mode);
      like->cells.insert(like->cells.end(), missing.cells.begin(), missing.cells.end());
    }
  }
  for (Missing& missing : all) {
    Conclusion& conclusion = conclusions.emplace_back(group.conclusion("not_measured"));
    conclusion.cells = std::move(missing.cells);
    conclusion.text = fmt::format("No results of {} at {} ({}).", join(missing.modes),
                                  group.batches_text(missing.batches), missing.code);
  }
}

}  // namespace

void conclude_costs(const CellGroup& group, std::vector<Conclusion>& conclusions) {
  if (!group.asks_for_warmups()) {
    conclude_setup(group, conclusions);
    conclude_startup(group, conclusions);
    conclude_payback(group, conclusions);
    conclude_kept_memory(group, conclusions);
    conclude_memory(group, conclusions);
    conclude_phases(group, conclusions);
  }
  conclude_warmups(group, conclusions);
  conclude_failures(group, conclusions);
}

}  // namespace graphbench::model
