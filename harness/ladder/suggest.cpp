// Finds the best ladders as shortest paths with resource limits. A ladder is a path over ascending sizes. An
// edge costs the time of the steps that its second size serves. A label is one path to a size; it is
// dropped if another label of that size is at least as good in every respect.
#include "harness/ladder/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <set>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/ladder/interpolate.hpp"
#include "harness/ladder/traffic.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/statistics/moments.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/statistics/setup_cost.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::ladder {
namespace {

constexpr std::size_t labels_max = 500'000;  // about twenty seconds of search

struct Label {
  double seconds = 0;
  double startup = 0;
  double execs = 0;
  double pool = 0;  // the largest pool on the path
  const Label* before = nullptr;
  std::size_t candidate = 0;
};
bool beats(const Label& a, const Label& b) {
  return a.seconds <= b.seconds && a.startup <= b.startup && a.execs <= b.execs && a.pool <= b.pool;
}

class Search {
 public:
  explicit Search(const SuggestProblem& problem) : problem_(problem), count_(problem.candidates.size()) {
    const auto most = static_cast<std::size_t>(problem.sizes_max.value_or(static_cast<std::int64_t>(count_)));
    deepest_ = std::min(most, count_);
    labels_.resize(count_, std::vector<std::list<Label>>(deepest_ + 1));
  }

  std::vector<Choice> run() {
    std::vector<Choice> best = {choice(nullptr, steps_beyond(0))};
    std::vector<std::optional<Choice>> by_count(deepest_ + 1);
    for (std::size_t j = 0; j < count_; ++j) {
      const std::int64_t size = problem_.candidates[j].size;
      if (deepest_ > 0) extend(nullptr, 0, j, steps_between(0, size));
      for (std::size_t i = 0; i < j; ++i) {
        const double steps = steps_between(problem_.candidates[i].size, size);
        for (std::size_t k = 1; k < deepest_; ++k) {
          for (const auto& label : labels_[i][k]) extend(&label, k, j, steps);
        }
      }
      const double beyond = steps_beyond(size);
      for (std::size_t k = 1; k <= deepest_; ++k) {
        for (const auto& label : labels_[j][k]) {
          if (!by_count[k] || label.seconds + beyond < by_count[k]->seconds)
            by_count[k] = choice(&label, label.seconds + beyond);
        }
      }
    }
    for (std::optional<Choice>& each : by_count) {
      if (each && each->seconds < best.back().seconds) best.push_back(std::move(*each));
    }
    return best;
  }

 private:
  double steps_beyond(std::int64_t size) const {
    double seconds = 0;
    for (auto each = problem_.steps.upper_bound(size); each != problem_.steps.end(); ++each)
      seconds += static_cast<double>(each->second) * problem_.eager.at(each->first);
    return seconds;
  }
  double steps_between(std::int64_t below, std::int64_t size) const {
    std::int64_t steps = 0;
    for (auto each = problem_.steps.upper_bound(below); each != problem_.steps.end() && each->first <= size;
         ++each)
      steps += each->second;
    return static_cast<double>(steps);
  }

  // Extends `from`, a path of `k` sizes, by candidate j. The candidate serves the `steps` steps that fit into
  // it, but not into the path's last size.
  void extend(const Label* from, std::size_t k, std::size_t j, double steps) {
    const Candidate& to = problem_.candidates[j];
    Label label{.seconds = (from == nullptr ? 0 : from->seconds) + steps * to.step_seconds,
                .startup = 0,
                .execs = 0,
                .pool = 0,
                .before = from,
                .candidate = j};
    // A quantity without a budget stays 0, so that beats() does not compare it.
    if (problem_.startup_seconds) {
      label.startup = (from == nullptr ? 0 : from->startup) + to.startup_seconds;
      if (label.startup > *problem_.startup_seconds) return;
    }
    if (problem_.memory_bytes) {
      label.execs = (from == nullptr ? 0 : from->execs) + to.exec_bytes;
      label.pool = std::max(from == nullptr ? 0 : from->pool, to.pool_bytes);
      if (label.execs + label.pool > *problem_.memory_bytes) return;
    }
    // Paths with one size fewer can beat this path too, because every extension of it also extends them.
    for (const std::size_t sizes : {k, k + 1}) {
      for (const auto& known : labels_[j][sizes]) {
        if (beats(known, label)) return;
      }
    }
    auto& bucket = labels_[j][k + 1];
    // No path continues from candidate j yet, so no label refers to a label that is erased here.
    kept_ -= std::erase_if(bucket, [&](const auto& known) { return beats(label, known); });
    bucket.push_back(label);
    if (++kept_ > labels_max)
      throw Error(ErrorCode::unsupported,
                  "suggest a ladder: too many ladders fit both budgets: give --sizes-max, or only one of "
                  "--memory and --startup");
  }

  Choice choice(const Label* label, double seconds) const {
    Choice found;
    found.seconds = seconds;
    double pool = 0;
    for (; label != nullptr; label = label->before) {
      const Candidate& each = problem_.candidates[label->candidate];
      found.sizes.push_back(each.size);
      found.startup_seconds += each.startup_seconds;
      found.memory_bytes += each.exec_bytes;
      pool = std::max(pool, each.pool_bytes);
    }
    found.memory_bytes += pool;
    std::ranges::reverse(found.sizes);
    return found;
  }

  const SuggestProblem& problem_;
  std::size_t count_;
  std::size_t deepest_ = 0;
  std::vector<std::vector<std::list<Label>>> labels_;  // [candidate][number of sizes]; lists keep addresses
  std::size_t kept_ = 0;
};

double startup_seconds(const model::Setup& setup) {
  return setup.prepare_seconds.value_or(0) + model::cost_seconds(setup);
}

using BySize = std::map<std::int64_t, std::vector<double>>;

template <typename Number>
void add_value(BySize& to, std::int64_t size, const std::optional<Number>& value) {
  if (value) to[size].push_back(static_cast<double>(*value));
}

// How many rows an engine counts as one. Absent: it counts requests, of which some have more rows.
std::optional<std::int64_t> unit_of(const std::string& engine,
                                    const std::vector<std::int64_t>& query_lengths) {
  if (engine == "vllm" || query_lengths.empty()) return 1;  // it counts tokens
  return query_lengths.size() == 1 ? std::optional(query_lengths.front()) : std::nullopt;
}

std::map<std::int64_t, double> over(const BySize& launches, const auto& number) {
  std::map<std::int64_t, double> numbers;
  for (const auto& [size, values] : launches) numbers[size] = number(values);
  return numbers;
}

}  // namespace

std::vector<Choice> best_ladders(const SuggestProblem& problem) {
  return Search(problem).run();
}

Measurements measurements_of(const Ladder& ladder) {
  BySize steps, startups, execs, pools, eager;
  for (const LadderLaunch& launch : ladder.launches) {
    for (const LadderSize& size : launch.sizes) {
      if (!size.step_seconds) continue;  // the size was not captured
      add_value(steps, size.size, size.served_seconds);
      add_value(startups, size.size, std::optional(startup_seconds(size.setup)));
      add_value(execs, size.size, size.exec_bytes);
      add_value(pools, size.size, size.pool_bytes);
    }
    for (const LadderEager& rows : launch.eager) add_value(eager, rows.rows, rows.served_seconds);
  }
  return {over(steps, model::mean_of), over(startups, model::median), over(execs, model::median),
          over(pools, model::median), over(eager, model::mean_of)};
}

Measurements measurements_of(const std::vector<model::CellResult>& cells, const model::Cell& of) {
  BySize steps, startups, eager;
  Measurements measured;
  for (const model::CellResult& each : cells) {
    const std::int64_t size = each.cell.batch;
    model::Cell like = of;
    like.batch = size;
    if (each.status != model::CellStatus::ok) continue;
    for (const model::Launch& launch : each.launches) {
      if (!launch.latency_seconds) continue;
      if (each.cell == model::reference_of(like)) eager[size].push_back(launch.latency_seconds->mean);
      if (each.cell != like) continue;
      steps[size].push_back(launch.latency_seconds->mean);
      startups[size].push_back(startup_seconds(launch.setup));
    }
    if (each.cell != like || !each.memory) continue;
    measured.pool_bytes[size] = static_cast<double>(each.memory->pool_bytes_own);
    if (each.memory->exec_bytes) measured.exec_bytes[size] = static_cast<double>(*each.memory->exec_bytes);
  }
  measured.step_seconds = over(steps, model::mean_of);
  measured.startup_seconds = over(startups, model::median);
  measured.eager = over(eager, model::mean_of);
  return measured;
}

double memory_of(const Measurements& measured, const std::vector<std::int64_t>& sizes,
                 const std::string& where) {
  const StepTimes execs(measured.exec_bytes), pools(measured.pool_bytes);
  double graphs = 0, pool = 0;
  for (const std::int64_t size : sizes) {
    const std::optional<double> own = pools.at(size);
    if (!own)
      throw InputError(where, "the memory of a graph of size " + std::to_string(size) +
                                  " was not measured: measure this size, or one larger and one smaller size");
    pool = std::max(pool, *own);
    graphs += execs.at(size).value_or(0);
  }
  return graphs + pool;
}

std::optional<double> priced(const std::map<std::int64_t, double>& measured, std::int64_t size) {
  const auto found = measured.lower_bound(size);
  return found == measured.end() ? std::nullopt : std::optional(found->second);
}

SuggestProblem problem_of(const Measurements& measured, const std::vector<std::int64_t>& rows,
                          const std::string& where, std::int64_t multiple_of) {
  if (measured.step_seconds.empty() || measured.eager.empty())
    throw InputError(
        where,
        "eager or a graph mode was not measured, so nothing can be suggested: sweep eager and a graph mode");
  SuggestProblem problem;
  for (const std::int64_t each : rows) ++problem.steps[each];
  const std::int64_t largest = problem.steps.rbegin()->first;
  if (largest > measured.eager.rbegin()->first)
    throw InputError(where, "steps have up to " + std::to_string(largest) + " rows, but " +
                                std::to_string(measured.eager.rbegin()->first) +
                                " is the largest measured size: measure larger sizes");
  for (const auto& [size, count] : problem.steps) {
    problem.eager[size] = *priced(measured.eager, size);
    const auto above = measured.eager.upper_bound(size);
    problem.eager_least[size] = (above == measured.eager.begin() ? above : std::prev(above))->second;
  }
  std::set<std::int64_t> sizes;
  for (const auto& [size, seconds] : measured.step_seconds) sizes.insert(size / multiple_of * multiple_of);
  sizes.erase(0);
  for (const std::int64_t size : sizes) {
    problem.candidates.push_back({.size = size,
                                  .step_seconds = *priced(measured.step_seconds, size),
                                  .startup_seconds = priced(measured.startup_seconds, size).value_or(0),
                                  .exec_bytes = priced(measured.exec_bytes, size).value_or(0),
                                  .pool_bytes = priced(measured.pool_bytes, size).value_or(0),
                                  .measured = measured.step_seconds.contains(size)});
  }
  return problem;
}

std::optional<Choice> cost_of(const Measurements& measured, const SuggestProblem& problem,
                              const std::vector<std::int64_t>& sizes) {
  Choice cost{.sizes = sizes};
  double pool = 0;
  for (const std::int64_t size : sizes) {
    if (!priced(measured.step_seconds, size)) return std::nullopt;
    cost.startup_seconds += priced(measured.startup_seconds, size).value_or(0);
    cost.memory_bytes += priced(measured.exec_bytes, size).value_or(0);
    pool = std::max(pool, priced(measured.pool_bytes, size).value_or(0));
  }
  cost.memory_bytes += pool;
  for (const auto& [rows, count] : problem.steps) {
    const auto fits = std::ranges::lower_bound(sizes, rows);
    cost.seconds += static_cast<double>(count) *
                    (fits == sizes.end() ? problem.eager.at(rows) : *priced(measured.step_seconds, *fits));
  }
  return cost;
}

bool fits(const SuggestProblem& problem, const Choice& choice) {
  return std::ssize(choice.sizes) <= problem.sizes_max.value_or(size_max) &&
         choice.memory_bytes <= problem.memory_bytes.value_or(HUGE_VAL) &&
         choice.startup_seconds <= problem.startup_seconds.value_or(HUGE_VAL);
}

const std::vector<std::string>& engines() {
  static const std::vector<std::string> names = {"vllm", "sglang", "trtllm"};
  return names;
}

std::optional<std::vector<std::int64_t>> default_sizes(const std::string& engine,
                                                       const std::vector<std::int64_t>& query_lengths) {
  const char* const list = engine == "vllm"     ? "1,2,4,8:256:+8,272:512:+16"
                           : engine == "sglang" ? "1,2,4,8,12,16:256:+8"
                                                : "1,2,4,8:128:+8";
  const std::optional<std::int64_t> unit = unit_of(engine, query_lengths);
  if (!unit) return std::nullopt;
  std::vector<std::int64_t> sizes = parse_sizes(engine, list);
  for (std::int64_t& size : sizes) size *= *unit;
  return sizes;
}

EngineFlag flag_for(const std::string& engine, const std::vector<std::int64_t>& sizes, LadderPad pad,
                    const std::vector<std::int64_t>& query_lengths) {
  const std::optional<std::int64_t> unit = unit_of(engine, query_lengths);
  if (!unit) return {.engine = engine, .none = "it counts requests: give one --query-lengths"};
  const char* const separator = engine == "sglang" ? " " : ",";
  std::string list;
  for (const std::int64_t size : sizes) {
    if (size % *unit != 0)
      return {
          .engine = engine,
          .none = fmt::format("it counts requests of {} tokens, and {} is no multiple: give --multiple-of {}",
                              *unit, size, *unit)};
    list += (list.empty() ? "" : separator) + std::to_string(size / *unit);
  }
  if (engine == "vllm")
    return {engine, R"(--compilation-config '{"cudagraph_capture_sizes": [)" + list +
                        R"(], "max_cudagraph_capture_size": )" + std::to_string(sizes.back()) + "}'"};
  if (engine == "sglang") return {engine, "--cuda-graph-bs-decode " + list};
  // Without enable_padding, TensorRT-LLM runs steps of sizes that are not listed eagerly.
  const char* const padding = pad == LadderPad::up ? "enable_padding: true, " : "";
  return {engine, std::string("cuda_graph_config: {") + padding + "batch_sizes: [" + list + "]}"};
}

}  // namespace graphbench::ladder
