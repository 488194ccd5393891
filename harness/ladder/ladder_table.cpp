// Makes the Report of ladders: a section for the times and costs of each, and one for its sizes.
#include "harness/ladder/ladder_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "harness/model/findings/groups.hpp"

namespace graphbench::ladder {
namespace {

std::string seconds_or_dash(const std::optional<double>& seconds) {
  return reporters::seconds_value(seconds).text;
}

std::string bytes_text(const std::optional<std::int64_t>& bytes) {
  return bytes ? reporters::format_bytes(*bytes) : "-";
}

void add_sentence(reporters::Section& section, std::string lead, std::string text,
                  reporters::Weight weight = reporters::Weight::normal) {
  section.sentences.push_back({std::move(text), weight, std::move(lead)});
}

void add_times(reporters::Section& section, const char* name, const std::optional<model::Summary>& summary) {
  if (!summary) return;
  section.rows.push_back(
      {.values = {reporters::text_value(name), reporters::seconds_value(summary->p50),
                  reporters::seconds_value(summary->p90), reporters::seconds_value(summary->p99),
                  reporters::seconds_value(summary->p999), reporters::seconds_value(summary->max)}});
}

// The steps by runtime mode, and a note if several modes are served: vLLM decodes in FULL, and prefills in
// PIECEWISE or NONE. So steps of different modes can do different work at equal token counts.
void add_modes(reporters::Section& section, const std::vector<TrafficMode>& modes) {
  if (modes.empty()) return;
  std::vector<std::string> counts;
  for (const TrafficMode& each : modes)
    counts.push_back(fmt::format("{} {}{}", each.mode, each.count, each.served ? "" : " (left out)"));
  add_sentence(section, "modes", fmt::format("in the log: {}", fmt::join(counts, ", ")));
  if (std::ranges::count(modes, true, &TrafficMode::served) > 1)
    add_sentence(
        section, "note",
        "these modes are merged, although FULL mostly decodes (one token per request) and the others also "
        "prefill; --traffic-mode serves some of them",
        reporters::Weight::notice);
}

reporters::Value even_value(const LadderSize& size) {
  if (size.breakeven_steps)
    return {.text = reporters::format_count(*size.breakeven_steps), .value = size.breakeven_steps};
  return reporters::text_value(size.step_seconds ? "never" : "-");
}

reporters::Section sizes_section(const Ladder& ladder) {
  reporters::Section section{.subject = "sizes of " + ladder.id,
                             .columns = {{.name = "size"},
                                         {.name = "mode", .align = reporters::Align::left},
                                         {.name = "uses"},
                                         {.name = "rows", .align = reporters::Align::left},
                                         {.name = "padding", .unit = "ratio"},
                                         {.name = "capture", .unit = "seconds"},
                                         {.name = "step", .unit = "seconds"},
                                         {.name = "eager", .unit = "seconds"},
                                         {.name = "even"}}};
  for (const LadderSize& size : ladder.launches.front().sizes) {
    if (size.dropped) {
      reporters::Row& row =
          section.rows.emplace_back(reporters::Row{.values = {reporters::count_value(size.size)}});
      row.values.resize(section.columns.size());
      row.note = "dropped: " + size.dropped->message;
      continue;
    }
    std::int64_t rows = 0;
    for (const RowCount& each : size.rows) rows += each.rows * each.count;
    const std::string from =
        size.rows.empty() ? "-" : fmt::format("{}..{}", size.rows.front().rows, size.rows.back().rows);
    const std::optional<double> waste =
        size.uses == 0
            ? std::nullopt
            : std::optional(1 - static_cast<double>(rows) / static_cast<double>(size.size * size.uses));
    const model::Setup& setup = size.setup;
    section.rows.push_back(
        {.values = {reporters::count_value(size.size), reporters::text_value(size.mode),
                    reporters::count_value(size.uses), reporters::text_value(from),
                    reporters::percent_value(waste),
                    reporters::seconds_value(setup.capture_seconds + setup.instantiate_seconds +
                                             setup.upload_seconds),
                    reporters::seconds_value(size.step_seconds), reporters::seconds_value(size.eager_seconds),
                    even_value(size)}});
  }
  return section;
}

std::string first_text(const FirstRequests& first) {
  const bool longer = first.p50_seconds > first.noise_seconds;
  return fmt::format("the first requests of {} sizes ", first.count) +
         (longer ? fmt::format("took longer than later requests by {} at p50",
                               reporters::format_seconds(first.p50_seconds))
                 : fmt::format("did not take longer than later requests at p50 (noise {}); extra time:",
                               reporters::format_seconds(first.noise_seconds))) +
         fmt::format("{} {} at most, {} in total", longer ? "," : "",
                     reporters::format_seconds(first.max_seconds), reporters::format_seconds(first.seconds));
}

void add_service(reporters::Section& section, const LadderLaunch& launch) {
  const LadderSteps& steps = launch.steps;
  add_sentence(
      section, "steps",
      fmt::format("{} exact, {} padded, {} eager below the largest size, {} eager above it, {} captured "
                  "lazily{}; hit rate {}",
                  steps.exact, steps.padded, steps.eager_below, steps.eager_beyond, steps.captured_now,
                  steps.warming > 0 ? fmt::format(", {} warming", steps.warming) : "",
                  reporters::percent_text(launch.hit_rate)));
  const LadderPadding& padding = launch.padding;
  add_sentence(section, "padding",
               fmt::format("{} of {} rows in graphs, {}{}", padding.rows, padding.graph_rows,
                           reporters::percent_text(padding.waste),
                           padding.seconds ? fmt::format("; ~{} of step time",
                                                         reporters::format_seconds(*padding.seconds))
                                           : ""));
  std::string served = fmt::format("{} rows/s; {} of steps", reporters::format_rate(launch.rows_per_second),
                                   reporters::format_seconds(launch.busy_seconds));
  if (launch.predicted_seconds)
    served += fmt::format(", {} predicted from each size's median",
                          reporters::format_seconds(*launch.predicted_seconds));
  if (launch.stalls.count > 0)
    served += fmt::format("; {} stalls for captures, {} in total, {} at most", launch.stalls.count,
                          reporters::format_seconds(launch.stalls.seconds),
                          reporters::format_seconds(launch.stalls.longest_seconds));
  add_sentence(section, "served", std::move(served));
  if (launch.first_requests) add_sentence(section, "first", first_text(*launch.first_requests));
}

void add_costs(reporters::Section& section, const LadderLaunch& launch) {
  if (const auto& execs = launch.execs)
    add_sentence(
        section, "execs",
        fmt::format("{} for {} captured sizes; {} updates, {} each; {} saved", execs->groups,
                    std::ranges::count_if(launch.sizes, [](const auto& size) { return size.uses > 0; }),
                    execs->updates, seconds_or_dash(execs->update_seconds), bytes_text(execs->bytes_saved)));
  if (const auto& evictions = launch.evictions)
    add_sentence(section, "destroyed",
                 fmt::format("{} graphs, in {}; {} {} of the device's memory was free afterwards",
                             evictions->count, reporters::format_seconds(evictions->seconds),
                             reporters::format_bytes(std::abs(evictions->returned_bytes)),
                             evictions->returned_bytes < 0 ? "less" : "more"));
  if (const auto& tuning = launch.tuning)
    add_sentence(
        section, "tuning",
        fmt::format(
            "{} captured and {} eager runs in sizes with separate library choices; {} captured and {} "
            "eager runs in the other sizes",
            tuning->tuned_captured, tuning->tuned_eager, tuning->general_captured, tuning->general_eager));
  const model::Startup& start = launch.startup;
  add_sentence(section, "start-up",
               fmt::format("{} prepare, {} warmup, {} capture, {} instantiate, {} upload",
                           reporters::format_seconds(start.prepare_seconds),
                           reporters::format_seconds(start.warmup_seconds),
                           reporters::format_seconds(start.capture_seconds),
                           reporters::format_seconds(start.instantiate_seconds),
                           reporters::format_seconds(start.upload_seconds)));
  const LadderMemory& memory = launch.memory;
  std::string text = fmt::format("{} pool, {} for execs, {} static, {} workspace",
                                 reporters::format_bytes(memory.pool_bytes), bytes_text(memory.exec_bytes),
                                 reporters::format_bytes(memory.static_bytes),
                                 reporters::format_bytes(memory.workspace_bytes));
  if (memory.new_weights_bytes)
    text +=
        fmt::format("; {} for new weights at each size", reporters::format_bytes(*memory.new_weights_bytes));
  if (memory.line_bytes)
    text += fmt::format("; prediction by a line through two sizes: {} for pool and execs",
                        reporters::format_bytes(*memory.line_bytes));
  add_sentence(section, "memory", std::move(text));
}

void add_rivals(reporters::Section& section, const LadderSummary& summary) {
  const auto say = [&](const std::optional<double>& ratio, const std::string& of) {
    if (ratio)
      add_sentence(section, "", fmt::format("{} take {} as long", of, reporters::format_ratio(*ratio)));
  };
  say(summary.over_eager, "the same steps, all eager,");
  say(summary.over_every, "with every size captured they");
  say(summary.over_engine, "with --engine-sizes they");
  for (const auto& [mode, ratio] : summary.over_modes)
    say(ratio, "with every size in mode " + mode + " they");
}

std::string title_of(const std::string& role) {
  if (role == "eager") return "rival: every step eager";
  if (role == "suggested") return "suggested ladder";
  if (role == "lazy") return "rival: the same sizes, captured lazily:";
  if (role == "startup") return "rival: the same sizes, captured at start-up:";
  if (role == "best") return "each size in its fastest mode:";
  if (role == "every") return "rival: every size captured";
  return role == "asked" ? "ladder" : "rival: " + words_of({.name = role});
}

std::string list_of(const std::vector<std::int64_t>& sizes) {
  return sizes.empty() ? std::string("none") : fmt::format("{}", fmt::join(sizes, ","));
}

// With the numbers of the ladder's first launch.
void add_ladder(reporters::Report& report, const Ladder& ladder) {
  reporters::Section section{.subject = title_of(ladder.role) + " " + ladder.id,
                             .columns = {{.name = "times", .align = reporters::Align::left},
                                         {.name = "p50", .unit = "seconds"},
                                         {.name = "p90", .unit = "seconds"},
                                         {.name = "p99", .unit = "seconds"},
                                         {.name = "p99.9", .unit = "seconds"},
                                         {.name = "max", .unit = "seconds"}}};
  const LadderTraffic& traffic = ladder.traffic;
  add_sentence(section, "traffic",
               fmt::format("{}: {} steps of {} sizes, {} rows", traffic.name, traffic.steps, traffic.sizes,
                           traffic.rows));
  add_modes(section, traffic.modes);
  if (!traffic.note.empty()) add_sentence(section, "note", traffic.note);
  if (ladder.launches.empty()) {
    add_sentence(section, ladder.reason.value().code, ladder.reason.value().message);
    report.sections.push_back(std::move(section));
    return;
  }
  const LadderLaunch& launch = ladder.launches.front();
  if (ladder.launches.size() > 1)
    add_sentence(
        section, "",
        fmt::format(
            "the numbers are of the first of {} launches; p50 over all launches: latency {}, submit {}",
            ladder.launches.size(), reporters::format_seconds(ladder.summary.latency_seconds->p50),
            reporters::format_seconds(ladder.summary.submit_seconds->p50)));
  add_times(section, "latency", launch.latency_seconds);
  add_times(section, "submit", launch.submit_seconds);
  add_times(section, "waited", launch.wait_seconds);
  add_times(section, "response", launch.response_seconds);
  add_service(section, launch);
  add_costs(section, launch);
  if (ladder.check) {
    if (ladder.check->tolerated) add_sentence(section, "check", *ladder.check->tolerated);
    for (const std::string& remark : ladder.check->remarks) add_sentence(section, "check", remark);
  }
  const bool rival = is_rival(ladder);
  if (!rival) add_rivals(section, ladder.summary);
  report.sections.push_back(std::move(section));
  if (!rival && !launch.sizes.empty()) report.sections.push_back(sizes_section(ladder));
}

reporters::Section best_section(const BestModes& best) {
  reporters::Section section{
      .subject = "fastest mode by size",
      .detail = fmt::format(": {} {} {}", best.cell.workload, best.cell.preset, best.cell.dtype),
      .columns = {{.name = "size"},
                  {.name = "mode", .align = reporters::Align::left},
                  {.name = "step", .unit = "seconds"},
                  {.name = "margin", .unit = "ratio"},
                  {.name = "gain", .unit = "ratio"}}};
  for (const BestSize& size : best.sizes)
    section.rows.push_back(
        {.values = {reporters::count_value(size.size), reporters::text_value(size.mode),
                    reporters::seconds_value(size.step_seconds), reporters::percent_value(size.margin),
                    reporters::ratio_value(size.over_eager)}});
  if (best.no_gain_from)
    add_sentence(
        section, "",
        fmt::format("graphs gain less than 2 % from size {} on{}", *best.no_gain_from,
                    best.no_gain_from_tokens ? fmt::format(", {} tokens", *best.no_gain_from_tokens) : ""));
  return section;
}

std::string memory_text(const Suggestion& made) {
  const std::optional<double>& bytes =
      made.verified_memory_bytes ? made.verified_memory_bytes : made.memory_bytes;
  return bytes ? reporters::format_bytes(static_cast<std::int64_t>(*bytes)) : "an unknown amount";
}

// What all eager is predicted to take: a range where sizes of the traffic were not measured.
std::string predicted_eager(const Suggestion& made) {
  const double one = made.eager_step_seconds;
  const bool is_range = !made.frontier.empty() && made.frontier.front().sizes == 0;
  const double other = is_range ? made.frontier.front().step_seconds : one;
  const std::string least = reporters::format_seconds(std::min(one, other));
  const std::string most = reporters::format_seconds(std::max(one, other));
  return least == most ? least : least + " to " + most;
}

reporters::Section suggestion_section(const Suggestion& made) {
  const bool none = !made.no_suggestion.empty();
  reporters::Section section{
      .subject = none ? "no suggestion" : "suggestion",
      .detail = fmt::format(" for {}, from {}{}", model::id_of(made.cell), made.from,
                            none ? ": " + made.no_suggestion : ""),
      .columns = {{.name = "captured sizes"},
                  {.name = "mean step", .unit = "seconds"},
                  {.name = "list", .align = reporters::Align::left, .shown = reporters::Shown::as_data}}};
  for (const FrontierPoint& each : made.frontier)
    section.rows.push_back(
        {.values = {
             reporters::count_value(each.sizes), reporters::seconds_value(each.step_seconds),
             reporters::text_value(each.captured.empty() && each.sizes > 0 ? "-" : list_of(each.captured))}});
  add_sentence(section, "", fmt::format("{} {}", none ? "sizes" : "--capture-sizes", list_of(made.sizes)));
  const auto and_served = [](const std::string& predicted, const std::optional<double>& served) {
    return fmt::format("{} predicted, {}", predicted,
                       served ? reporters::format_seconds(*served) + " served" : "not served");
  };
  const auto with_ratio = [](std::string text, const char* of, const std::optional<double>& ratio,
                             const std::optional<double>& low, const std::optional<double>& high) {
    if (!ratio) return text;
    return text + fmt::format("; {}{} ({} to {})", of, reporters::format_ratio(*ratio),
                              reporters::format_ratio(*low), reporters::format_ratio(*high));
  };
  add_sentence(section, "mean step",
               and_served(reporters::format_seconds(made.step_seconds), made.verified_step_seconds));
  add_sentence(section, fmt::format("eager ({}'s own)", made.eager),
               with_ratio(and_served(predicted_eager(made), made.eager_verified_step_seconds), "gain ",
                          made.over_eager, made.over_eager_ci95_low, made.over_eager_ci95_high));
  for (const RivalList& each : made.rivals)
    add_sentence(section,
                 fmt::format("{} ({}{})", words_of(each), model::plural(std::ssize(each.sizes), "size"),
                             each.beyond_budget ? ", beyond the budget" : ""),
                 with_ratio(each.step_seconds || each.verified_step_seconds
                                ? and_served(seconds_or_dash(each.step_seconds), each.verified_step_seconds)
                                : "unknown: no size as large as it needs was measured",
                            "", each.over, each.over_ci95_low, each.over_ci95_high));
  add_sentence(section, "",
               fmt::format("{} to start, {} of memory", reporters::format_seconds(made.startup_seconds),
                           memory_text(made)));
  if (made.memory_max_bytes)
    add_sentence(
        section, "",
        "the memory budget is " + reporters::format_bytes(static_cast<std::int64_t>(*made.memory_max_bytes)));
  if (!made.few.empty()) add_sentence(section, "at most 2 % slower", list_of(made.few));
  if (!made.interpolated.empty())
    add_sentence(section, "not measured, taken as the next larger measured size", list_of(made.interpolated));
  if (!made.note.empty()) add_sentence(section, "note", made.note);
  if (!made.trust.empty()) add_sentence(section, made.from, made.trust, reporters::Weight::notice);
  const char* const how = made.verified_step_seconds ? " (served)" : " (predicted, not served)";
  for (const EngineFlag& each : made.flags)
    add_sentence(section, each.engine + (each.none.empty() ? how : ": no setting"),
                 each.none.empty() ? each.flag : each.none);
  return section;
}

}  // namespace

std::string sentence_of(const Ladder& ladder) {
  if (ladder.launches.empty() || ladder.traffic.steps == 0) return "";
  const LadderLaunch& launch = ladder.launches.front();
  const model::Startup& start = launch.startup;
  std::string text =
      fmt::format("{} captured sizes serve {} in {} a step, {} of them from a graph", ladder.sizes.size(),
                  ladder.traffic.name,
                  reporters::format_seconds(launch.busy_seconds / static_cast<double>(ladder.traffic.steps)),
                  reporters::percent_text(launch.hit_rate));
  if (const auto& ratio = ladder.summary.over_eager)
    text += fmt::format("; all eager, the same steps take {} as long", reporters::format_ratio(*ratio));
  const double startup = start.prepare_seconds + start.warmup_seconds + start.capture_seconds +
                         start.instantiate_seconds + start.upload_seconds;
  return text + fmt::format("; {} to start, {} of memory.", reporters::format_seconds(startup),
                            reporters::format_bytes(graph_bytes(launch)));
}

std::string sentence_of(const Suggestion& made) {
  const std::string eager = made.eager_verified_step_seconds
                                ? reporters::format_seconds(*made.eager_verified_step_seconds)
                                : predicted_eager(made);
  if (made.sizes.empty())
    return (made.no_suggestion.empty() ? "Capture nothing" : "C" + made.no_suggestion.substr(1)) +
           ". All eager takes " + eager + " a step.";
  const std::string what = made.no_suggestion.empty()
                               ? "Capture sizes " + list_of(made.sizes)
                               : "Nothing is suggested (" + made.no_suggestion + "): sizes " +
                                     list_of(made.sizes) + " are the best";
  return fmt::format("{}: {} a step predicted, {}; {} all eager; {} to start, {} of memory.", what,
                     reporters::format_seconds(made.step_seconds),
                     made.verified_step_seconds
                         ? reporters::format_seconds(*made.verified_step_seconds) + " served"
                         : "not served",
                     eager, reporters::format_seconds(made.startup_seconds), memory_text(made));
}

std::string sentence_of(const Closed& closed) {
  std::string text = fmt::format("{} ({} requests a second, {} tokens each, {}): ", closed.traffic,
                                 reporters::format_rate(closed.rate), reporters::format_rate(closed.tokens),
                                 closed.prefill_seconds
                                     ? reporters::format_seconds(*closed.prefill_seconds) + " of prefill each"
                                     : "decode only");
  for (std::size_t i = 0; i < closed.points.size(); ++i) {
    const ClosedPoint& point = closed.points[i];
    const bool full = i + 1 == closed.points.size() && closed.none.empty();
    text += fmt::format("{}batches of {:.1f} from {}, {} a step{}", i == 0 ? "" : "; ", point.batch,
                        i == 0 ? (full ? "empty and from full" : "empty")
                        : full ? "full"
                               : "between",
                        reporters::format_seconds(point.step_seconds), point.captured ? "" : ", eager");
  }
  if (!closed.none.empty()) text += closed.points.empty() ? closed.none : "; from full " + closed.none;
  if (closed.hit_rate && closed.cell.batch > 0)
    text += fmt::format("; {} of the steps from empty hit a captured size",
                        reporters::percent_text(*closed.hit_rate));
  return text + "." + (closed.note.empty() ? "" : " Of the traffic: " + closed.note + ".");
}

reporters::Report report_of(const LadderFindings& findings) {
  reporters::Report report;
  for (const Ladder& ladder : findings.ladders) add_ladder(report, ladder);
  for (const Suggestion& made : findings.suggestions) report.sections.push_back(suggestion_section(made));
  for (const BestModes& best : findings.best) report.sections.push_back(best_section(best));
  const auto conclude = [&](const auto& of) {
    if (std::string text = sentence_of(of); !text.empty())
      report.closing.push_back({.text = std::move(text), .lead = model::id_of(of.cell)});
  };
  for (const Ladder& ladder : findings.ladders) {
    if (!is_rival(ladder)) conclude(ladder);
  }
  for (const Closed& closed : findings.closed) conclude(closed);
  for (const Suggestion& made : findings.suggestions) conclude(made);
  return report;
}

}  // namespace graphbench::ladder
