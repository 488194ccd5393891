// The rows of the options of `graphbench ladder`, and the request that they make.
#include "harness/ladder/arguments.hpp"

#include <algorithm>

#include "graphs/base/text.hpp"
#include "harness/ladder/ladder_fields.hpp"
#include "harness/ladder/route.hpp"
#include "harness/options/own_values.hpp"

namespace graphbench::ladder {
namespace {

std::vector<TrafficMode> modes_of(const Traffic& traffic) {
  std::vector<TrafficMode> modes;
  for (const auto& [mode, counts] : traffic.modes) {
    double steps = 0;
    for (const auto& [size, count] : counts) steps += count;
    const bool served = traffic.modes_served.empty() || std::ranges::count(traffic.modes_served, mode) > 0;
    modes.push_back({mode, static_cast<std::int64_t>(steps), served});
  }
  return modes;
}

options::ReadValue into_amount(std::optional<double>& target, const std::string& advice) {
  return [&target, advice](const std::string& where, const std::string& text) {
    target = options::parse_real(text);
    if (!target || *target <= 0) throw InputError(where, in_quotes(text) + advice);
  };
}

options::ReadValue into_when(std::vector<CaptureWhen>& target) {
  return [&target](const std::string& where, const std::string& text) {
    target.clear();
    for (const std::string& word : split(text, ',')) {
      const auto when = options::choice<CaptureWhen>(where, word);
      if (std::ranges::count(target, when) > 0)
        throw InputError(where, in_quotes(text) + " gives a value twice: give startup, lazy, or both");
      target.push_back(when);
    }
  };
}

options::ReadValue into_engines(std::vector<std::string>& target) {
  return [&target](const std::string& where, const std::string& text) {
    target.clear();
    for (const std::string& word : split(text, ',')) {
      if (!contains(engines(), word))
        throw InputError(where, in_quotes(word) + " is unknown: give one or more of " + join(engines()) +
                                    did_you_mean(word, engines()));
      if (!contains(target, word)) target.push_back(word);
    }
  };
}

options::Effect serving(const LadderArguments& asked) {
  return {[&asked] { return asked.serves(); }, with_serving};
}

options::Effect measuring(const LadderArguments& asked) {
  return {[&asked] { return !asked.from_file(); }, with_measuring};
}

void add_capture_options(options::Options& options, LadderArguments& asked) {
  using options::into;
  options.own({"--capture-sizes", "LIST", "sizes to capture (default: 1,2,4,8:512:+8)", into(asked.sizes),
               measuring(asked)});
  options.own({"--multiple-of", "N",
               "capture, and suggest, multiples of N alone (default: the one of --query-lengths, or 1)",
               into(asked.multiple_of, {1, 65'536}, " is not valid: give a whole number from ")});
  options.own({"--capture-order", "largest|smallest", "the size that is captured first (default: largest)",
               into(asked.policy.order), serving(asked)});
  options.own({"--capture-when", "startup|lazy",
               "when to capture a size. startup: before the first step; lazy: in the first request that "
               "needs the size; startup,lazy: both, to compare (default: startup)",
               into_when(asked.when), measuring(asked)});
  options.own({"--pad", "up|none",
               "up: pad a step to the next larger size; none: run the step eagerly (default: up)",
               into(asked.policy.pad)});
  options.own({"--beyond", "eager|split|refuse",
               "for a step larger than every captured size: run eagerly, split, or refuse the step "
               "(default: eager)",
               into(asked.policy.beyond)});
  options.own({"--warmup-by", "capture|requests",
               "how a lazily captured size warms up. capture: by steps before its capture; requests: by its "
               "first requests, served eagerly (default: capture)",
               into(asked.policy.warmup_by), measuring(asked)});
  options.own({"--exec", "own|shared|switch",
               "own: each size has its own execs; shared: sizes whose graphs differ only in parameters share "
               "one exec, updated when the size changes; switch: one graph with a SWITCH node over all sizes "
               "(default: own)",
               into(asked.policy.exec), serving(asked)});
  options.own({"--graphs-max", "N",
               "sizes that are captured at once: when a step captured one more, the graph and the tensors "
               "of the size whose last use is the longest ago are destroyed (default: all)",
               into(asked.policy.graphs_max, {1, 65'536}, " is not valid: give a whole number from "),
               serving(asked)});
  options.own(
      {"--mutated-inputs", "refuse|copy_back",
       "if a program writes to an input: refuse the program, or copy the written rows back in the step "
       "(default: refuse)",
       into(asked.policy.mutated_inputs), serving(asked)});
}

void add_traffic_options(options::Options& options, LadderArguments& asked) {
  using options::into;
  options.own({"--traffic", "TRAFFIC",
               "sizes of the steps: FILE,..., uniform:A:B or zipf:S:MAX; a size is a "
               "batch size; with --closed requests: FILE,... or requests:RATE:TOKENS",
               into(asked.traffic)});
  options.own(
      {"--traffic-mode", "LIST",
       "serve only a vLLM log's steps of these runtime modes: FULL,PIECEWISE,NONE (default: all)",
       [&asked](const std::string&, const std::string& text) { asked.traffic_modes = split(text, ','); }});
  options.own({"--steps", "N|all", "steps to serve (default: 10000)",
               [&asked](const std::string& where, const std::string& text) {
                 asked.steps.reset();
                 if (text != "all")
                   asked.steps = options::parse_within(where, text, {1, steps_max},
                                                       " is not a number of steps: give all, or ");
               }});
  options.own({"--arrivals", "RATE",
               "steps arrive at random times, on average RATE per second (default: each starts when the "
               "previous one ends)",
               into_amount(asked.arrivals, " is not a rate: give a number of steps per second above 0"),
               serving(asked)});
  options.own({"--engine-sizes", "LIST",
               "sizes that a serving engine captures; the same steps are also served with these, to compare",
               into(asked.engine_sizes)});
  options.own({"--no-rivals", "", "skip the two rivals: every step eager, and every size captured",
               into(asked.no_rivals), measuring(asked)});
}

void add_request_options(options::Options& options, LadderArguments& asked) {
  options.own(
      {"--query-lengths", "LIST",
       "tokens per request, for speculative decoding: each step comes once with each, and its size is "
       "requests times tokens",
       [&asked](const std::string& where, const std::string& text) {
         asked.query_lengths = parse_sizes(where, text);
       }});
  options.own(
      {"--closed",
       "N",
       "the traffic is requests, at most N at once (default: the largest measured size); they form batches "
       "by the step times that were measured",
       [&asked](const std::string& where, const std::string& text) {
         asked.closed = text;
         if (text != largest_measured)
           options::parse_within(where, text, {1, 65'536}, " is not a number of requests: give ");
       },
       {},
       {},
       largest_measured});
  options.own(
      {"--prefill-seconds",
       "SECONDS|WORKLOAD",
       "by how long a request's prefill delays the batch: a time, or the step of another workload that "
       "was measured (default: decode only)",
       [&asked](const std::string& where, const std::string& text) {
         if (options::parse_real(text)) {
           into_amount(asked.prefill_seconds, " is not a time: give seconds above 0")(where, text);
         } else {
           asked.prefill_workload = text;
         }
       },
       {},
       "--closed"});
}

void add_requirement(options::Options& options, LadderArguments& asked) {
  options.own({"--require-hits",
               "PERCENT",
               "exit with 10 if a smaller share of the steps is served from captured sizes, such as 95%",
               [&asked](const std::string& where, const std::string& text) {
                 const auto percent = options::parse_real(std::string_view(text).substr(0, text.find('%')));
                 if (!text.ends_with('%') || !percent || *percent <= 0 || *percent > 100)
                   throw InputError(where, in_quotes(text) +
                                               " is not a share: give a percentage above 0, such "
                                               "as 95%");
                 asked.require_hits = *percent / 100;
               },
               {[&asked] { return asked.serves() || !asked.closed.empty(); }, with_serving}});
}

void add_suggestion_options(options::Options& options, LadderArguments& asked) {
  using options::into;
  const char* const suggest = "--suggest";
  options.own({suggest,
               "FILE",
               "print the sizes with the lowest expected step time, from this result (without FILE: from "
               "the served steps)",
               into(asked.suggest),
               {},
               {},
               own_measurements});
  options.own({"--sizes-max",
               "K",
               "suggest at most K sizes",
               [&asked](const std::string& where, const std::string& text) {
                 asked.budgets.sizes_max =
                     options::parse_within(where, text, {1, 65'536}, " is not a number of sizes: give ");
               },
               {},
               suggest});
  options.own({"--memory",
               "BYTES|engine",
               "suggest sizes whose pool and execs fit into this memory; engine: into the memory that "
               "--engine-sizes take",
               [&asked](const std::string& where, const std::string& text) {
                 asked.fits_engine = text == "engine";
                 if (!asked.fits_engine)
                   into_amount(asked.budgets.memory_bytes,
                               " is not a budget: give a number of bytes above 0, or engine")(where, text);
               },
               {},
               suggest});
  options.own(
      {"--startup",
       "SECONDS",
       "suggest sizes that are prepared and captured within this time",
       into_amount(asked.budgets.startup_seconds, " is not a budget: give a number of seconds above 0"),
       {},
       suggest});
  options.own(
      {"--for",
       "LIST",
       "serving engines for which the suggested sizes are also printed as the engine's own setting, and "
       "compared with its default sizes (default: vllm,sglang,trtllm)",
       into_engines(asked.engines),
       {},
       suggest});
  options.own(
      {"--verify",
       "",
       "also serve the traffic from graphs of the suggested sizes, of powers of two and of the engines' "
       "default sizes, and with every step eager",
       into(asked.verify),
       {},
       suggest});
}

}  // namespace

void add_options(options::Options& options, LadderArguments& asked) {
  add_capture_options(options, asked);
  add_traffic_options(options, asked);
  add_request_options(options, asked);
  add_requirement(options, asked);
  add_suggestion_options(options, asked);
}

namespace {

// The request's steps are then each size as often, so that what they take is measured.
Traffic close(const LadderArguments& asked, std::int64_t seed, Traffic traffic, LadderRequest& request) {
  if (traffic.requests.empty() && !traffic.request_rate)
    throw InputError("--closed",
                     in_quotes(asked.traffic) +
                         " has batches, not requests: leave the option out, or give a file with a time "
                         "and output tokens for each request, or requests:RATE:TOKENS");
  if (asked.arrivals || !asked.query_lengths.empty())
    throw InputError(asked.arrivals ? "--arrivals" : "--query-lengths",
                     "with --closed the option has no effect: leave one of them out");
  ClosedRequest& closed = request.closed.emplace();
  if (asked.closed != largest_measured) closed.most = options::parse_integer(asked.closed).value;
  closed.prefill_seconds = asked.prefill_seconds;
  closed.prefill_workload = asked.prefill_workload;
  closed.steps = asked.steps.value_or(steps_max);
  closed.seed = static_cast<std::uint64_t>(seed);
  Traffic each;
  each.name = traffic.name;
  each.counted = true;
  const std::int64_t most = closed.most.value_or(request.sizes.back());
  for (std::int64_t size = 1; size <= most; ++size) each.histogram[size] = 1;
  each.note = "each size up to " + std::to_string(most) +
              " is served as often, to measure what steps take; batches are formed by these times";
  closed.traffic = std::move(traffic);
  request.rivals = false;
  request.suggests = true;
  return each;
}

}  // namespace

LadderRequest request_of(const LadderArguments& asked, std::int64_t seed) {
  LadderRequest request;
  request.sizes = parse_sizes("--capture-sizes", asked.sizes, asked.multiple());
  if (!asked.engine_sizes.empty()) request.engine_sizes = parse_sizes("--engine-sizes", asked.engine_sizes);
  const bool lazy = std::ranges::count(asked.when, CaptureWhen::lazy) > 0;
  request.policy = asked.policy;
  request.policy.when = asked.when.front();
  if (asked.when.size() > 1) request.also_when = asked.when.back();
  if (request.policy.warmup_by == WarmupBy::requests && !lazy)
    throw InputError(
        "--warmup-by",
        "\"requests\" works only with sizes that are captured lazily: give --capture-when lazy too");
  if (request.policy.exec == ExecOf::one_switch && lazy)
    throw InputError("--exec",
                     "a SWITCH needs all sizes at start-up: give --capture-when startup, or another --exec");
  if (request.policy.exec != ExecOf::own && request.policy.graphs_max > 0)
    throw InputError("--graphs-max",
                     "sizes that share execs have none to destroy: give --exec own, or no limit");
  request.rivals = !asked.no_rivals;
  request.suggests = !asked.suggest.empty();
  if (asked.traffic.empty())
    throw InputError("--traffic",
                     "the option is missing: give FILE, uniform:A:B, zipf:S:MAX or "
                     "requests:RATE:TOKENS");
  Traffic traffic = read_traffic("--traffic", asked.traffic);
  if (!asked.traffic_modes.empty())
    traffic = choose_modes("--traffic-mode", asked.traffic_modes, std::move(traffic));
  if (!asked.query_lengths.empty())
    traffic = with_lengths("--query-lengths", asked.query_lengths, std::move(traffic));
  if (!asked.closed.empty()) traffic = close(asked, seed, std::move(traffic), request);
  request.trace = make_trace(
      traffic, {.steps = asked.steps, .rate = asked.arrivals, .seed = static_cast<std::uint64_t>(seed)});
  request.traffic.name = asked.traffic;
  request.traffic.modes = modes_of(traffic);
  request.traffic.rate = asked.arrivals;
  request.traffic.note = traffic.note;
  return request;
}

void check_routes(const LadderRequest& request) {
  if (request.policy.beyond != LadderBeyond::refuse) return;
  static_cast<void>(tally(request.trace.rows, request.sizes, request.policy, "--traffic"));
  if (!request.engine_sizes.empty())
    static_cast<void>(tally(request.trace.rows, request.engine_sizes, request.policy, "--engine-sizes"));
}

void check_step_ladder(const LadderRequest& request, bool best) {
  const auto refuse = [](const char* option, const std::string& value, const std::string& instead) {
    throw InputError(option,
                     in_quotes(value) + " is only for programs, and this is a foreign step: give " + instead);
  };
  if (best) refuse("--mode", "best", "whole or piecewise");
  const LadderPolicy& policy = request.policy;
  if (policy.beyond == LadderBeyond::split) refuse("--beyond", "split", "eager or refuse");
  if (policy.exec == ExecOf::one_switch) refuse("--exec", "switch", "own or shared");
  if (policy.mutated_inputs != MutatedInputs::refuse) refuse("--mutated-inputs", "copy_back", "refuse");
}

void check_suggestion(const LadderArguments& asked, const LadderRequest& request, const Budgets& budgets) {
  const std::string why = " cannot be used with --suggest and --closed: give ";
  if (request.policy.pad != LadderPad::up) throw InputError("--pad", in_quotes("none") + why + "up");
  if (request.policy.beyond != LadderBeyond::eager)
    throw InputError(
        "--beyond",
        in_quotes(model::Names<LadderBeyond>::names.at(static_cast<std::size_t>(request.policy.beyond))) +
            why + "eager");
  if (request.policy.graphs_max > 0)
    throw InputError("--graphs-max", "a suggestion is for sizes that all have graphs: give no limit");
  const std::vector<std::int64_t>& engine = budgets.memory_of;
  if (engine.empty() || asked.suggest != own_measurements) return;
  if (engine.front() < request.sizes.front() || engine.back() > request.sizes.back())
    throw InputError("--memory", "--engine-sizes go from " + std::to_string(engine.front()) + " to " +
                                     std::to_string(engine.back()) + ", but --capture-sizes only from " +
                                     std::to_string(request.sizes.front()) + " to " +
                                     std::to_string(request.sizes.back()) +
                                     ": give --capture-sizes that reach as far");
}

Budgets budgets_of(const LadderArguments& asked) {
  Budgets budgets = asked.budgets;
  budgets.multiple_of = asked.multiple();
  budgets.engines = asked.engines;
  budgets.query_lengths = asked.query_lengths;
  if (!asked.engine_sizes.empty()) budgets.engine_sizes = parse_sizes("--engine-sizes", asked.engine_sizes);
  if (!asked.fits_engine) return budgets;
  if (budgets.engine_sizes.empty())
    throw InputError("--memory", "\"engine\" means the memory of --engine-sizes: give --engine-sizes too");
  budgets.memory_of = budgets.engine_sizes;
  return budgets;
}

}  // namespace graphbench::ladder
