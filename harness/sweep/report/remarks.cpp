// Derives the remarks from the result alone, so that the same result always says the same.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/model/statistics/quantiles.hpp"
#include "harness/sweep/report/table.hpp"
#include "reporters/format.hpp"

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

// From here on first steps count as slow, and spread as noise.
constexpr double ramp_ratio_min = 2.0;
constexpr double noise_ratio_min = 0.25;

std::string plural(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

struct Counts {
  std::int64_t ok = 0;
  std::int64_t failed = 0;
  std::int64_t skipped = 0;
  std::int64_t not_measured = 0;  // because the sweep was interrupted
};

Counts count(const model::Result& result) {
  Counts counts;
  for (const model::CellResult& cell : result.cells) {
    if (cell.status == model::CellStatus::ok) {
      ++counts.ok;
    } else if (cell.status == model::CellStatus::failed) {
      ++counts.failed;
    } else if (!cell.reason || cell.reason->code == "interrupted") {
      ++counts.not_measured;
    } else {
      ++counts.skipped;
    }
  }
  return counts;
}

// Cells that share what went wrong.
struct Trouble {
  bool failed = false;
  std::string code;
  std::string message;
  std::string first_id;
  std::int64_t cells = 0;
};

std::vector<Trouble> troubles_of(const model::Result& result) {
  std::vector<Trouble> troubles;
  for (const model::CellResult& cell : result.cells) {
    if (cell.status == model::CellStatus::ok) continue;
    Trouble trouble{cell.status == model::CellStatus::failed, "interrupted",
                    "the sweep ended before this cell was measured", model::id_of(cell.cell), 1};
    if (cell.reason) {
      trouble.code = cell.reason->code;
      trouble.message = one_line(cell.reason->message);
    }
    const auto same = [&](const Trouble& other) {
      return std::tie(other.failed, other.code, other.message) ==
             std::tie(trouble.failed, trouble.code, trouble.message);
    };
    const auto known = std::find_if(troubles.begin(), troubles.end(), same);
    if (known == troubles.end()) {
      troubles.push_back(trouble);
    } else {
      ++known->cells;
    }
  }
  return troubles;
}

// How much longer the first measured step took than the median, over a cell's launches.
double ramp_ratio(const model::CellResult& cell) {
  double ratio = 0;
  for (const model::Launch& launch : cell.launches) {
    if (launch.latency_samples.empty() || !launch.latency_seconds || launch.latency_seconds->p50 <= 0)
      continue;
    ratio = std::max(ratio, launch.latency_samples.front() / launch.latency_seconds->p50);
  }
  return ratio;
}

bool noisy(const model::CellResult& cell) {
  return std::any_of(cell.launches.begin(), cell.launches.end(), [](const model::Launch& launch) {
    const auto& latency = launch.latency_seconds;
    return latency && latency->p90 && latency->p50 > 0 &&
           *latency->p90 - latency->p50 > noise_ratio_min * latency->p50;
  });
}

// Names each warmup count whose first steps are slow: that is how too few warmups show.
void warn_of_ramps(const model::Result& result, std::vector<std::string>& warnings) {
  std::string where;
  for (const std::int64_t warmup : result.plan.axes.warmup) {
    std::int64_t slow = 0;
    std::int64_t cells = 0;
    double worst = 0;
    for (const model::CellResult& cell : result.cells) {
      if (cell.cell.warmup != warmup || cell.status != model::CellStatus::ok) continue;
      ++cells;
      const double ratio = ramp_ratio(cell);
      slow += ratio >= ramp_ratio_min ? 1 : 0;
      worst = std::max(worst, ratio);
    }
    if (slow == 0) continue;
    where += fmt::format("{}in {} of {} with {} (at most {})", where.empty() ? "" : ", ", slow,
                         plural(cells, "cell"), plural(warmup, "warmup"), format_ratio(worst));
  }
  if (where.empty()) return;
  warnings.push_back("the first step took at least twice the median " + where +
                     ": no summary counts the first 32; `steady:` says how many steps to let pass");
}

// Code can branch under capture, and compilers fuse: then a gain is of two programs.
std::string other_programs(const model::Result& result) {
  std::string first;
  std::int64_t cells = 0;
  for (const model::CellResult& cell : result.cells) {
    if (cell.status != model::CellStatus::ok || !cell.records || cell.records->other_kernels == 0) continue;
    if (++cells > 1) continue;
    first = fmt::format("{} runs {} kernels where eager runs {}", id_of(cell.cell), cell.records->kernels,
                        cell.records->eager_kernels);
    if (!cell.records->differences.empty()) first += ": " + one_line(cell.records->differences.front());
  }
  if (cells == 0) return "";
  return fmt::format(
      "{} {} not eager's program, so {} gain (*) is not of graphs alone; {} (`records.differences`)",
      plural(cells, "cell"), cells == 1 ? "is" : "are", cells == 1 ? "its" : "their", first);
}

// A callback waits up to 5 ms for the interpreter's lock where another thread of Python computes.
std::string busy_threads(const model::Result& result) {
  std::string names;
  std::int64_t cells = 0;
  for (const model::CellResult& cell : result.cells) {
    const auto busy = cell.library.find("busy_threads");
    if (cell.status == model::CellStatus::ok && busy != cell.library.end() && ++cells == 1)
      names = busy->second;
  }
  if (cells == 0) return "";
  return fmt::format("Python's thread {} was busy beside {}: steps that Python runs wait up to 5 ms for it",
                     one_line(names), plural(cells, "cell"));
}

// How many steps cells of one workload and mode took to settle.
struct Settling {
  std::int64_t steps = 0;  // of the slowest that did
  std::int64_t settled = 0;
  std::int64_t cells = 0;
};

std::string settling_text(const std::string& mode, const Settling& settling) {
  if (settling.settled == 0) return mode + " not seen";
  std::string text = fmt::format("{} {}", mode, settling.steps);
  if (settling.settled < settling.cells) {
    text += fmt::format(" (not seen in {} of {})", settling.cells - settling.settled,
                        plural(settling.cells, "cell"));
  }
  return text;
}

// The spreads of latency in the median cell and the worst, mode by mode; empty below two launches.
std::string spread_line(const model::Result& result) {
  const std::string between = by_mode(result, &model::Estimate::between_launches);
  if (between.empty()) return {};
  return "spread of latency, median cell: between launches " + between + "; within a launch " +
         by_mode(result, &model::Estimate::within_launch);
}

}  // namespace

std::vector<std::string> warnings_of(const model::Result& result) {
  std::vector<std::string> warnings;
  if (!result.complete) {
    warnings.push_back("the sweep was interrupted: only what was measured until then is shown");
  }
  if (result.environment.device.kind == "host") {
    warnings.push_back(
        "device `host`: these are times of CPU threads, not of a GPU; `graphbench list devices` says "
        "why no GPU was used");
  }
  const auto ok = [](const model::CellResult& cell) { return cell.status == model::CellStatus::ok; };
  const auto differ = [&](bool tolerated) {
    return std::count_if(result.cells.begin(), result.cells.end(), [&](const auto& cell) {
      return ok(cell) && cell.check && !cell.check->identical &&
             cell.check->tolerated.has_value() == tolerated;
    });
  };
  if (const auto explained = differ(true); explained > 0) {
    warnings.push_back(fmt::format(
        "the outputs of {} are not eager's bit for bit: they differ as another order of operations explains, "
        "or the captured step launches other kernels; `check.tolerated` says by how much",
        plural(explained, "cell")));
  }
  for (const std::string& warning : {other_programs(result), busy_threads(result)}) {
    if (!warning.empty()) warnings.push_back(warning);
  }
  const auto differs = differ(false);
  if (differs > 0) {
    warnings.push_back(fmt::format(
        "the outputs of {} differ from their reference: do not trust their times, report it as a defect",
        plural(differs, "cell")));
  }
  for (std::string& warning : instrument_warnings(result)) warnings.push_back(std::move(warning));
  warn_of_ramps(result, warnings);
  const auto loud = std::count_if(result.cells.begin(), result.cells.end(),
                                  [&](const auto& cell) { return ok(cell) && noisy(cell); });
  if (loud > 0) {
    warnings.push_back(fmt::format(
        "in {} the slowest tenth of the steps is {:.0f} % or more above the median: leave the machine "
        "alone, or raise --time-per-cell",
        plural(loud, "cell"), 100 * noise_ratio_min));
  }
  const auto unsure =
      std::ranges::count_if(result.cells, [](const auto& cell) { return may_be_no_gain(cell.summary); });
  if (unsure > 0) {
    warnings.push_back(fmt::format(
        "in {} these launches do not tell the gain from 1 (?), so nothing is said of when it is paid back",
        plural(unsure, "cell")));
  }
  if (result.plan.launches < 3) {
    warnings.push_back(
        fmt::format("{} a cell: too few for intervals, small differences mean nothing, and gains are about "
                    "so (~); use --launches 5 or more",
                    fmt::format("{} launch{}", result.plan.launches, result.plan.launches == 1 ? "" : "es")));
  }
  return warnings;
}

void print_troubles(std::ostream& out, const model::Result& result, const TableOptions& options) {
  for (const Trouble& trouble : troubles_of(result)) {
    const std::string head = fmt::format("{} {}:", trouble.failed ? "failed" : "skipped", trouble.code);
    const std::string where =
        trouble.cells == 1 ? trouble.first_id
                           : fmt::format("{}, first {}", plural(trouble.cells, "cell"), trouble.first_id);
    out << paint(head, trouble.failed ? Colour::red : Colour::yellow, options.colours) << ' '
        << trouble.message << " (" << where << ")\n";
  }
}

// "How many warmups do I need": read off the cells with the fewest warmups, the largest over cells.
void print_steady(std::ostream& out, const model::Result& result) {
  const std::vector<std::int64_t>& warmups = result.plan.axes.warmup;
  if (warmups.empty()) return;
  const std::int64_t fewest = *std::min_element(warmups.begin(), warmups.end());
  std::map<std::string, std::map<std::string, Settling>> workloads;
  bool all_settled = true;
  for (const model::CellResult& cell : result.cells) {
    if (cell.status != model::CellStatus::ok || cell.cell.warmup != fewest) continue;
    Settling& settling = workloads[cell.cell.workload][cell.cell.mode];
    ++settling.cells;
    all_settled = all_settled && cell.summary.steady_after.has_value();
    if (!cell.summary.steady_after) continue;
    ++settling.settled;
    settling.steps = std::max(settling.steps, *cell.summary.steady_after);
  }
  for (const auto& [workload, modes] : workloads) {
    std::string line;
    for (const std::string& mode : result.plan.axes.mode) {
      const auto known = modes.find(mode);
      if (known != modes.end()) line += (line.empty() ? "" : ", ") + settling_text(mode, known->second);
    }
    out << fmt::format("steady: steps until {} is within 2 % of its median{}, worst cell: {}\n",
                       one_line(workload),
                       fewest == 0 ? "" : fmt::format(", {} included", plural(fewest, "warmup")), line);
  }
  if (!all_settled) out << "steady: not seen: the first steps never came that close, mostly for noise\n";
}

void print_closing(std::ostream& out, const model::Result& result, const TableOptions& options) {
  print_steady(out, result);
  if (const std::string spread = spread_line(result); !spread.empty()) out << spread << '\n';
  if (const std::string witness = witness_line(result); !witness.empty()) out << witness << '\n';
  for (const std::string& warning : warnings_of(result)) {
    out << paint("note:", Colour::yellow, options.colours) << ' ' << warning << '\n';
  }
  const Counts counts = count(result);
  std::string line = fmt::format("{}: {} ok, {} failed, {} skipped",
                                 plural(static_cast<std::int64_t>(result.cells.size()), "cell"), counts.ok,
                                 counts.failed, counts.skipped);
  if (counts.not_measured > 0) line += fmt::format(", {} not measured", counts.not_measured);
  const Colour colour = counts.failed > 0 ? Colour::red : Colour::green;
  out << paint(line, colour, options.colours);
  if (!options.json_path.empty()) out << "; the result is in " << options.json_path;
  out << '\n';
}

}  // namespace graphbench::reporters
