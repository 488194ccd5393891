// Prints a block per ladder: its traffic, times, costs and sizes.
#include "harness/ladder/ladder_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reporters/format.hpp"

namespace graphbench::reporters {
namespace {

std::string seconds_or_dash(const std::optional<double>& seconds) {
  return seconds ? format_seconds(*seconds) : "-";
}

std::string percentiles(const std::optional<model::Summary>& summary) {
  if (!summary) return "-";
  return fmt::format("p50 {}, p90 {}, p99 {}, p99.9 {}, max {}", format_seconds(summary->p50),
                     seconds_or_dash(summary->p90), seconds_or_dash(summary->p99),
                     seconds_or_dash(summary->p999), format_seconds(summary->max));
}

// Prints the steps by runtime mode, and a note if several modes are served: vLLM decodes in FULL, and
// prefills in PIECEWISE or NONE. So steps of different modes can do different work at equal token counts.
void print_modes(std::ostream& out, const std::vector<model::TrafficMode>& modes) {
  if (modes.empty()) return;
  std::vector<std::string> counts;
  for (const model::TrafficMode& each : modes)
    counts.push_back(
        fmt::format("{} {}{}", one_line(each.mode), each.count, each.served ? "" : " (left out)"));
  out << fmt::format("  modes    in the log: {}\n", fmt::join(counts, ", "));
  if (std::ranges::count(modes, true, &model::TrafficMode::served) > 1)
    out << "           note: these modes are merged, although FULL mostly decodes (one token per request)\n"
           "           and the others also prefill; --traffic-mode serves some of them\n";
}

std::string even_text(const model::LadderSize& size) {
  if (size.breakeven_steps) return format_count(*size.breakeven_steps);
  return size.step_seconds ? "never" : "-";
}

void print_sizes(std::ostream& out, const model::LadderLaunch& launch, bool colours) {
  const bool modes = std::ranges::any_of(launch.sizes, [](const auto& size) { return !size.mode.empty(); });
  const auto mode = [&](const std::string& name) { return modes ? right(name, 11) : ""; };
  out << paint(right("size", 8) + mode("mode") + right("uses", 9) + right("rows", 12) + right("padding", 9) +
                   right("capture", 10) + right("step", 9) + right("eager", 9) + right("even", 8),
               Colour::dim, colours)
      << '\n';
  for (const model::LadderSize& size : launch.sizes) {
    if (size.dropped) {
      out << fmt::format("{:>8}  dropped: {}\n", size.size, one_line(size.dropped->message));
      continue;
    }
    std::int64_t rows = 0;
    for (const model::RowCount& each : size.rows) rows += each.rows * each.count;
    const std::string from =
        size.rows.empty() ? "-" : fmt::format("{}..{}", size.rows.front().rows, size.rows.back().rows);
    const std::optional<double> waste =
        size.uses == 0
            ? std::nullopt
            : std::optional(1 - static_cast<double>(rows) / static_cast<double>(size.size * size.uses));
    const model::Setup& setup = size.setup;
    out << fmt::format("{:>8}{}{:>9}{:>12}", size.size, mode(size.mode),
                       format_count(static_cast<double>(size.uses)), from)
        << right(percent_text(waste), 9)
        << right(format_seconds(setup.capture_seconds + setup.instantiate_seconds + setup.upload_seconds), 10)
        << right(seconds_or_dash(size.step_seconds), 9) << right(seconds_or_dash(size.eager_seconds), 9)
        << right(even_text(size), 8) << '\n';
  }
}

void print_first(std::ostream& out, const model::FirstRequests& first) {
  const bool longer = first.p50_seconds > first.noise_seconds;
  out << fmt::format("\n  first    the first requests of {} sizes ", first.count)
      << (longer
              ? fmt::format("took longer than later requests by {} at p50", format_seconds(first.p50_seconds))
              : fmt::format("did not take longer than later requests at p50 (noise {}); extra time:",
                            format_seconds(first.noise_seconds)))
      << fmt::format("{} {} at most, {} in total", longer ? "," : "", format_seconds(first.max_seconds),
                     format_seconds(first.seconds));
}

void print_launch(std::ostream& out, const model::LadderLaunch& launch) {
  const model::LadderSteps& steps = launch.steps;
  out << fmt::format(
      "  steps    {} exact, {} padded, {} eager below the largest size, {} eager above it, {} captured "
      "lazily{}; hit rate {}\n",
      steps.exact, steps.padded, steps.eager_below, steps.eager_beyond, steps.captured_now,
      steps.warming > 0 ? fmt::format(", {} warming", steps.warming) : "", percent_text(launch.hit_rate));
  out << fmt::format("  padding  {} of {} rows in graphs, {}", launch.padding.rows, launch.padding.graph_rows,
                     percent_text(launch.padding.waste));
  if (launch.padding.seconds)
    out << fmt::format("; ~{} of step time", format_seconds(*launch.padding.seconds));
  out << "\n  latency  " << percentiles(launch.latency_seconds) << "\n  submit   "
      << percentiles(launch.submit_seconds) << '\n';
  if (launch.response_seconds)
    out << "  waited   " << percentiles(launch.wait_seconds) << "\n  response "
        << percentiles(launch.response_seconds) << '\n';
  out << fmt::format("  served   {} rows/s; {} of steps", format_count(launch.rows_per_second),
                     format_seconds(launch.busy_seconds));
  if (launch.predicted_seconds)
    out << fmt::format(", {} predicted from each size's median", format_seconds(*launch.predicted_seconds));
  if (launch.stalls.count > 0)
    out << fmt::format("; {} stalls for captures, {} in total, {} at most", launch.stalls.count,
                       format_seconds(launch.stalls.seconds), format_seconds(launch.stalls.longest_seconds));
  if (const auto& first = launch.first_requests) print_first(out, *first);
  if (const auto& execs = launch.execs)
    out << fmt::format("\n  execs    {} for {} captured sizes; {} updates, {} each; {} saved", execs->groups,
                       std::ranges::count_if(launch.sizes, [](const auto& size) { return size.uses > 0; }),
                       execs->updates, seconds_or_dash(execs->update_seconds),
                       execs->bytes_saved ? format_bytes(*execs->bytes_saved) : "-");
  if (const auto& tuning = launch.tuning)
    out << fmt::format(
        "\n  tuning   {} captured and {} eager runs in sizes with separate library choices; {} captured "
        "and {} eager runs in the other sizes",
        tuning->tuned_captured, tuning->tuned_eager, tuning->general_captured, tuning->general_eager);
  const model::Startup& start = launch.startup;
  out << fmt::format("\n  start-up {} prepare, {} warmup, {} capture, {} instantiate, {} upload\n",
                     format_seconds(start.prepare_seconds), format_seconds(start.warmup_seconds),
                     format_seconds(start.capture_seconds), format_seconds(start.instantiate_seconds),
                     format_seconds(start.upload_seconds));
  const model::LadderMemory& memory = launch.memory;
  out << fmt::format("  memory   {} pool, {} for execs, {} static, {} workspace",
                     format_bytes(memory.pool_bytes),
                     memory.exec_bytes ? format_bytes(*memory.exec_bytes) : "-",
                     format_bytes(memory.static_bytes), format_bytes(memory.workspace_bytes));
  if (memory.line_bytes)
    out << fmt::format("; prediction by a line through two sizes: {} for pool and execs",
                       format_bytes(*memory.line_bytes));
  out << '\n';
}

void print_rivals(std::ostream& out, const model::LadderSummary& summary) {
  const auto say = [&](const std::optional<double>& ratio, const char* of) {
    if (ratio) out << fmt::format("  {} take {} as long\n", of, format_ratio(*ratio));
  };
  say(summary.over_eager, "the same steps, all eager,");
  say(summary.over_every, "with every size captured they");
  say(summary.over_engine, "with --engine-sizes they");
  for (const auto& [mode, ratio] : summary.over_modes)
    say(ratio, ("with every size in mode " + one_line(mode) + " they").c_str());
}

const char* title_of(const std::string& role) {
  if (role == "eager") return "rival: every step eager";
  if (role == "suggested") return "suggested ladder";
  if (role == "lazy") return "rival: the same sizes, captured lazily:";
  if (role == "startup") return "rival: the same sizes, captured at start-up:";
  if (role == "best") return "each size in its fastest mode:";
  if (role == "every") return "rival: every size captured";
  return role == "engine" ? "rival: --engine-sizes" : "ladder";
}

}  // namespace

void print_ladders(std::ostream& out, const std::vector<model::Ladder>& ladders, bool colours) {
  for (const model::Ladder& ladder : ladders) {
    out << paint(fmt::format("{} {}", title_of(ladder.role), one_line(ladder.id)), Colour::bold, colours)
        << '\n';
    out << fmt::format("  traffic  {}: {} steps of {} sizes, {} rows\n", one_line(ladder.traffic.name),
                       ladder.traffic.steps, ladder.traffic.sizes, ladder.traffic.rows);
    print_modes(out, ladder.traffic.modes);
    if (ladder.launches.empty()) {
      out << fmt::format("  {}: {}\n\n", one_line(ladder.reason.value().code),
                         one_line(ladder.reason.value().message));
      continue;
    }
    if (ladder.launches.size() > 1)
      out << fmt::format(
          "  the numbers below are of the first of {} launches; p50 over all launches: latency {}, submit "
          "{}\n",
          ladder.launches.size(), format_seconds(ladder.summary.latency_seconds->p50),
          format_seconds(ladder.summary.submit_seconds->p50));
    print_launch(out, ladder.launches.front());
    if (!model::is_rival(ladder)) {
      print_rivals(out, ladder.summary);
      if (!ladder.launches.front().sizes.empty()) print_sizes(out, ladder.launches.front(), colours);
    }
    out << '\n';
  }
}

void print_best(std::ostream& out, const model::BestModes& best, bool colours) {
  out << paint(fmt::format("fastest mode by size: {} {} {}", best.cell.workload, best.cell.preset,
                           best.cell.dtype),
               Colour::bold, colours)
      << '\n'
      << paint(
             right("size", 8) + right("mode", 12) + right("step", 10) + right("margin", 9) + right("gain", 8),
             Colour::dim, colours)
      << '\n';
  for (const model::BestSize& size : best.sizes) {
    out << fmt::format("{:>8}{:>12}", size.size, size.mode) << right(format_seconds(size.step_seconds), 10)
        << right(percent_text(size.margin), 9)
        << right(size.over_eager ? format_ratio(*size.over_eager) : "-", 8) << '\n';
  }
  if (best.no_gain_from) {
    out << fmt::format("  graphs gain less than 2 % from size {} on", *best.no_gain_from);
    if (best.no_gain_from_tokens) out << fmt::format(", {} tokens", *best.no_gain_from_tokens);
    out << '\n';
  }
  out << '\n';
}

void print_suggestion(std::ostream& out, const model::Suggestion& made, const std::vector<std::string>& flags,
                      bool colours) {
  const auto list = [](const std::vector<std::int64_t>& sizes) {
    return sizes.empty() ? std::string("none") : fmt::format("{}", fmt::join(sizes, ","));
  };
  const bool none = !made.no_suggestion.empty();
  out << paint(fmt::format("{}suggestion for {}, from {}{}", none ? "no " : "",
                           one_line(model::id_of(made.cell)), one_line(made.from),
                           none ? ": " + made.no_suggestion : ""),
               Colour::bold, colours)
      << fmt::format("\n  {} {}\n", none ? "sizes" : "--capture-sizes", list(made.sizes));
  for (const std::string& flag : flags) out << "  " << flag << '\n';
  out << fmt::format("  mean step: {} predicted, {} served\n  eager ({}'s own): {} predicted, {} served",
                     format_seconds(made.step_seconds), seconds_or_dash(made.verified_step_seconds),
                     made.eager, format_seconds(made.eager_step_seconds),
                     seconds_or_dash(made.eager_verified_step_seconds));
  if (made.over_eager)
    out << fmt::format("; gain {} ({} to {})", format_ratio(*made.over_eager),
                       format_ratio(*made.over_eager_ci95_low), format_ratio(*made.over_eager_ci95_high));
  out << fmt::format("\n  {} to start, {} of memory\n", format_seconds(made.startup_seconds),
                     format_bytes(static_cast<std::int64_t>(made.memory_bytes)));
  if (made.memory_max_bytes)
    out << fmt::format("  the memory budget is {}\n",
                       format_bytes(static_cast<std::int64_t>(*made.memory_max_bytes)));
  if (!made.interpolated.empty())
    out << fmt::format("  interpolated, not measured: {}\n", list(made.interpolated));
  out << "  mean step by number of captured sizes:";
  for (const model::FrontierPoint& each : made.frontier)
    out << fmt::format(" {}: {}{}", each.sizes, format_seconds(each.step_seconds),
                       &each == &made.frontier.back() ? "" : ",");
  out << "\n\n";
}

}  // namespace graphbench::reporters
