// Parses the options of `graphbench ladder`: converts words to values by the names that documents use.
#include "harness/ladder/arguments.hpp"

#include <algorithm>

#include "graphs/base/text.hpp"
#include "harness/ladder/ladder_fields.hpp"
#include "harness/ladder/route.hpp"
#include "harness/ladder/suggest.hpp"
#include "harness/options/numbers.hpp"

namespace graphbench::ladder {
namespace {

template <typename E>
E choice(const std::string& where, const std::string& text) {
  const auto& names = codec::Names<E>::names;
  const auto found = std::ranges::find(names, text);
  if (found != names.end()) return static_cast<E>(found - names.begin());
  const std::vector<std::string> known(names.begin(), names.end());
  throw InputError(where,
                   in_quotes(text) + " is unknown: give one of " + join(known) + did_you_mean(text, known));
}

std::vector<model::TrafficMode> modes_of(const Traffic& traffic) {
  std::vector<model::TrafficMode> modes;
  for (const auto& [mode, counts] : traffic.modes) {
    double steps = 0;
    for (const auto& [size, count] : counts) steps += count;
    const bool served = traffic.modes_served.empty() || std::ranges::count(traffic.modes_served, mode) > 0;
    modes.push_back({mode, static_cast<std::int64_t>(steps), served});
  }
  return modes;
}

}  // namespace

LadderRequest request_of(const LadderArguments& asked, std::int64_t seed) {
  LadderRequest request;
  const std::int64_t multiple = config::parse_within("--multiple-of", asked.multiple_of, {1, 65'536},
                                                     " is not valid: give a whole number from ");
  request.sizes = parse_sizes("--capture-sizes", asked.sizes, multiple);
  if (!asked.engine_sizes.empty()) request.engine_sizes = parse_sizes("--engine-sizes", asked.engine_sizes);
  const std::vector<std::string> when = split(asked.when, ',');
  request.policy = {choice<model::LadderPad>("--pad", asked.pad),
                    choice<model::LadderBeyond>("--beyond", asked.beyond),
                    choice<model::CaptureOrder>("--capture-order", asked.order),
                    choice<model::CaptureWhen>("--capture-when", when.front()),
                    choice<model::MutatedInputs>("--mutated-inputs", asked.mutated_inputs),
                    choice<model::WarmupBy>("--warmup-by", asked.warmup_by),
                    choice<model::ExecOf>("--exec", asked.exec)};
  if (when.size() > 1) request.also_when = choice<model::CaptureWhen>("--capture-when", when.back());
  if (when.size() > 2 || request.also_when == request.policy.when)
    throw InputError("--capture-when",
                     in_quotes(asked.when) + " gives a value twice: give startup, lazy, or both");
  if (request.policy.warmup_by == model::WarmupBy::requests && std::ranges::count(when, "lazy") == 0)
    throw InputError(
        "--warmup-by",
        "\"requests\" works only with sizes that are captured lazily: give --capture-when lazy too");
  if (request.policy.exec == model::ExecOf::one_switch && std::ranges::count(when, "lazy") > 0)
    throw InputError("--exec",
                     "a SWITCH needs all sizes at start-up: give --capture-when startup, or another --exec");
  request.rivals = !asked.no_rivals;
  request.suggests = !asked.suggest.empty();
  if (asked.traffic.empty())
    throw InputError("--traffic", "the option is missing: give FILE, uniform:A:B or zipf:S:MAX");
  TraceRequest steps{.steps = {}, .rate = {}, .seed = static_cast<std::uint64_t>(seed)};
  if (asked.steps != "all")
    steps.steps = config::parse_within("--steps", asked.steps, {1, steps_max},
                                       " is not a number of steps: give all, or ");
  if (!asked.arrivals.empty()) {
    steps.rate = config::parse_real(asked.arrivals);
    if (!steps.rate || *steps.rate <= 0)
      throw InputError("--arrivals", in_quotes(asked.arrivals) +
                                         " is not a rate: give a number of steps per second above 0");
  }
  Traffic traffic = read_traffic("--traffic", asked.traffic);
  if (!asked.traffic_mode.empty())
    traffic = choose_modes("--traffic-mode", split(asked.traffic_mode, ','), std::move(traffic));
  request.trace = make_trace(traffic, steps);
  request.traffic.name = asked.traffic;
  request.traffic.modes = modes_of(traffic);
  request.traffic.rate = steps.rate;
  return request;
}

void check_routes(const LadderRequest& request) {
  if (request.policy.beyond != model::LadderBeyond::refuse) return;
  static_cast<void>(tally(request.trace.rows, request.sizes, request.policy, "--traffic"));
  if (!request.engine_sizes.empty())
    static_cast<void>(tally(request.trace.rows, request.engine_sizes, request.policy, "--engine-sizes"));
}

void check_suggestion(const LadderArguments& asked, const LadderRequest& request, const Budgets& budgets) {
  const std::string why = " cannot be used with --suggest: give ";
  if (request.policy.pad != model::LadderPad::up)
    throw InputError("--pad", in_quotes(asked.pad) + why + "up");
  if (request.policy.beyond != model::LadderBeyond::eager)
    throw InputError("--beyond", in_quotes(asked.beyond) + why + "eager");
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
  const auto amount = [](const std::string& where, const std::string& text) -> std::optional<double> {
    if (text.empty()) return std::nullopt;
    const std::optional<double> value = config::parse_real(text);
    if (value && *value > 0) return value;
    throw InputError(where, in_quotes(text) + " is not a budget: give a number of " +
                                (where == "--memory" ? "bytes above 0, or engine" : "seconds above 0"));
  };
  Budgets budgets;
  budgets.startup_seconds = amount("--startup", asked.startup);
  if (asked.memory != "engine") {
    budgets.memory_bytes = amount("--memory", asked.memory);
  } else if (asked.engine_sizes.empty()) {
    throw InputError("--memory", "\"engine\" means the memory of --engine-sizes: give --engine-sizes too");
  } else {
    budgets.memory_of = parse_sizes("--engine-sizes", asked.engine_sizes);
  }
  if (!asked.sizes_max.empty())
    budgets.sizes_max =
        config::parse_within("--sizes-max", asked.sizes_max, {1, 65'536}, " is not a number of sizes: give ");
  return budgets;
}

std::vector<std::string> engines_of(const std::string& text) {
  std::vector<std::string> found = split(text, ',');
  for (const std::string& word : found) {
    if (std::ranges::find(engines(), word) == engines().end())
      throw InputError("--for", in_quotes(word) + " is unknown: give one or more of " + join(engines()) +
                                    did_you_mean(word, engines()));
  }
  return found;
}

}  // namespace graphbench::ladder
