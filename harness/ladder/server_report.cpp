// Times steps after each placement's traffic. Then reports times, counts and memory, and checks padding. The
// order matters: each measurement would disturb those before it if it ran earlier.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/ladder/interpolate.hpp"
#include "harness/ladder/server.hpp"
#include "harness/measure/machine/exec_memory.hpp"
#include "harness/model/statistics/moments.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/statistics/setup_cost.hpp"
#include "harness/model/statistics/summary.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::ladder {

namespace {

std::optional<double> mean_of(const Samples& samples) {
  return samples.medians.empty() ? std::nullopt : std::optional(model::geometric_mean(samples.medians));
}

std::optional<double> mean_of(const std::vector<double>& times) {
  return times.empty() ? std::nullopt : std::optional(model::mean_of(times));
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

void Samples::close() {
  if (now.empty()) return;
  std::ranges::sort(now);
  medians.push_back(model::median(now));
  spreads.push_back(model::nearest_rank(now, 0.9) - medians.back());
  now.clear();
}

// Runs each turn several times in random order, as in traffic, and ignores the times of the first round.
void Server::time_turns(std::vector<Turn> turns, std::mt19937_64& random) {
  const std::size_t rounds = std::clamp<std::size_t>(8192 / std::max<std::size_t>(turns.size(), 1), 8, 32);
  for (std::size_t round = 0; round <= rounds; ++round) {
    for (std::size_t i = turns.size(); i > 1; --i) std::swap(turns[i - 1], turns[random() % i]);
    for (const Turn& turn : turns) {
      turn.executor->restore();
      rig_.stream().synchronize();
      const Stopwatch watch;
      turn.enqueue();
      rig_.stream().synchronize();
      if (round > 0) turn.samples->push_back(watch.seconds());
    }
    hooks_.alive();
  }
}

// Times replays of the captured sizes without padding, mixed with the traffic's eager steps. Then times
// eager runs of these sizes, in separate rounds, because a step's time depends on the steps before it. Sizes
// that --graphs-max has left without a graph get one again, one after the other, and are timed alone.
void Server::calibrate() {
  const std::int64_t served_updates = updates_;
  std::vector<Turn> served, eagerly;
  for (auto& [size, rung] : rungs_) {
    if (!rung.captured) continue;
    served.push_back({&rung.step.now, rung.executor.get(), [this, rung = &rung] {
                        replay(*rung, {0, rung->result.size});
                      }});
    eagerly.push_back(
        {&rung.eager.now, &rung.executor->eager(), [rung = &rung] { rung->executor->eager().submit(); }});
  }
  for (auto& [rows, eager] : eager_)
    served.push_back(
        {&eager.step.now, eager.executor.get(), [executor = eager.executor.get()] { executor->submit(); }});
  std::mt19937_64 random(
      measure::seed_for(task_.task, measure::SeedUse::order, static_cast<std::int64_t>(placements_.size())));
  time_turns(std::move(served), random);
  time_turns(std::move(eagerly), random);
  for (auto& [size, rung] : rungs_) {
    if (rung.captured || !rung.set_up) continue;
    with_graph(rung, [&, rung = &rung] {
      time_turns({{&rung->step.now, rung->executor.get(),
                   [&] {
                     replay(*rung, {0, rung->result.size});
                   }}},
                 random);
      execution::Executor& eager = rung->executor->eager();
      time_turns({{&rung->eager.now, &eager, [&] { eager.submit(); }}}, random);
    });
  }
  time_updates();
  updates_ = served_updates;
  for (auto& [size, rung] : rungs_) {
    rung.step.close();
    rung.eager.close();
  }
  for (auto& [rows, eager] : eager_) eager.step.close();
}

// Times only the updates of shared execs: the sizes of a group take turns, and no step runs.
void Server::time_updates() {
  constexpr int rounds = 32;
  for (const std::vector<Rung*>& group : groups_) {
    for (std::size_t i = 0; group.size() > 1 && i < rounds * group.size(); ++i) {
      rig_.stream().synchronize();
      const Stopwatch watch;
      if (group[i % group.size()]->executor->take_execs()) update_seconds_.push_back(watch.seconds());
    }
  }
}

void Server::report_execs(LadderLaunch& launch) {
  if (task_.policy.exec == ExecOf::own) return;
  LadderExecs& execs = launch.execs.emplace();
  execs.groups = static_cast<std::int64_t>(groups_.size());
  execs.updates = updates_;
  execs.update_seconds = model::median_or_absent(update_seconds_);
  // These bytes were measured with one exec per size; a switch has a single exec for all sizes instead.
  if (task_.policy.exec == ExecOf::one_switch) launch.memory.exec_bytes.reset();
  if (!launch.memory.exec_bytes) return;
  execs.bytes_saved = 0;
  for (const std::vector<Rung*>& group : groups_) {
    for (const Rung* rung : group) {
      if (rung != group.front()) *execs.bytes_saved += rung->result.exec_bytes.value_or(0);
    }
  }
  *launch.memory.exec_bytes -= *execs.bytes_saved;
}

void Server::report_times(LadderLaunch& launch) const {
  const auto summary = [this](std::vector<double> Served::*of) {
    std::vector<std::vector<double>> samples;
    for (const Served& each : placements_) samples.push_back(each.*of);
    return model::summarize_placements(samples);
  };
  launch.latency_seconds = summary(&Served::latency);
  launch.submit_seconds = summary(&Served::submit);
  launch.wait_seconds = summary(&Served::wait);
  launch.response_seconds = summary(&Served::response);
  std::vector<double> busy;
  for (const Served& each : placements_) {
    busy.push_back(sum(each.latency));
    launch.placements.push_back({model::median(each.latency), model::median(each.submit), busy.back()});
  }
  launch.busy_seconds = model::geometric_mean(busy);
  const std::vector<double>& stalls = placements_.front().stalls;
  launch.stalls = {static_cast<std::int64_t>(stalls.size()), sum(stalls),
                   stalls.empty() ? 0 : *std::ranges::max_element(stalls)};
}

namespace {

std::optional<FirstRequests> first_requests(const std::map<std::int64_t, Rung>& rungs) {
  std::vector<double> longer, spreads;
  for (const auto& [size, rung] : rungs) {
    const LadderSize& of = rung.result;
    // Skips a size that no step used, that a split step used first, or that was not captured.
    if (!of.first_request_seconds || !of.step_seconds) continue;
    longer.push_back(*of.first_request_seconds - *of.step_seconds);
    spreads.push_back(rung.step.spreads.front());  // a size's first request is in the first placement
  }
  if (longer.empty()) return std::nullopt;
  return FirstRequests{static_cast<std::int64_t>(longer.size()), model::median(longer),
                       *std::ranges::max_element(longer), sum(longer), model::median(spreads)};
}

}  // namespace

void Server::report() {
  LadderLaunch& launch = answer_.launch;
  launch.index = task_.task.launch;
  launch.startup = clock_.startup();
  launch.steps = tally_.steps;
  launch.split_steps = tally_.split_steps;
  launch.hit_rate = tally_.hit_rate();
  launch.padding = tally_.padding();
  report_times(launch);
  launch.rows_per_second =
      static_cast<double>(std::accumulate(task_.rows.begin(), task_.rows.end(), std::int64_t{0})) /
      launch.busy_seconds;
  report_memory(launch);
  report_execs(launch);
  if (task_.policy.graphs_max > 0) launch.evictions = evictions_;
  launch.sizes = dropped_;
  for (auto& [size, rung] : rungs_) {
    LadderSize& of = rung.result;
    for (const auto& [rows, count] : tally_.used[size]) {
      of.rows.push_back({rows, count});
      of.uses += count;
    }
    of.warmups = tally_.warmed[size];
    of.step_seconds = mean_of(rung.step);
    of.eager_seconds = mean_of(rung.eager);
    of.served_seconds = mean_of(rung.served);
    const double cost = model::cost_seconds(rung.later.value_or(of.setup));
    if (of.step_seconds && *of.eager_seconds > *of.step_seconds)
      of.breakeven_steps = std::ceil(cost / (*of.eager_seconds - *of.step_seconds));
    launch.sizes.push_back(of);
  }
  for (const std::int64_t size : sizes_) {
    if (!rungs_.contains(size)) launch.sizes.push_back({.size = size, .mode = model::reference_mode().name});
  }
  std::ranges::sort(launch.sizes, {}, &LadderSize::size);
  launch.first_requests = first_requests(rungs_);
  for (const auto& [rows, eager] : eager_)
    launch.eager.push_back({rows, tally_.eager[rows], mean_of(eager.step), mean_of(eager.served)});
  add_expectations(launch);
  report_tuning(launch);
}

void Server::report_tuning(LadderLaunch& launch) const {
  if (task_.task.settings.caller.tune_sizes.empty()) return;
  LadderTuning& tuning = launch.tuning.emplace();
  for (const LadderSize& size : launch.sizes) {
    const bool tuned = model::is_tuned(task_.task.settings.caller, size.size);
    (tuned ? tuning.tuned_captured : tuning.general_captured) += size.uses;
    (tuned ? tuning.tuned_eager : tuning.general_eager) += size.warmups;
  }
  for (const LadderEager& eager : launch.eager)
    (model::is_tuned(task_.task.settings.caller, eager.rows) ? tuning.tuned_eager : tuning.general_eager) +=
        eager.uses;
}

void Server::report_memory(LadderLaunch& launch) {
  of_.report_memory(launch.memory);
  if (capture_order_.empty()) return;
  launch.memory.pool_bytes = std::max(capture_order_.back()->pool_bytes, of_.pool_bytes());
  std::vector<measure::StepGraphs> steps;
  for (const Rung* rung : capture_order_) steps.push_back(rung->executor->graphs());
  const auto costs = measure::ExecMemory(rig_.device(), rig_.stream()).costs_of(steps);
  hooks_.alive();
  std::vector<double> grown;  // bytes of the pool and all execs after each capture
  measure::ExecCost execs;
  bool known = true;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    Rung& rung = *capture_order_[i];
    known = known && costs[i].has_value();
    if (costs[i]) {
      rung.result.exec_bytes = std::llround(costs[i]->bytes);
      rung.result.exec_resolution_bytes = std::llround(costs[i]->resolution_bytes);
      execs.bytes += costs[i]->bytes;
      execs.resolution_bytes += costs[i]->resolution_bytes;
    }
    grown.push_back(static_cast<double>(rung.pool_bytes) + execs.bytes);
  }
  // Must follow costs_of(): own_pool_bytes() captures again, which changes the driver's memory figures.
  for (Rung* rung : capture_order_) {
    rung->result.pool_bytes = of_.own_pool_bytes(mode_of(rung->result.size), rung->result.size);
    hooks_.alive();
  }
  if (known) {
    launch.memory.exec_bytes = std::llround(execs.bytes);
    launch.memory.exec_resolution_bytes = std::llround(execs.resolution_bytes);
  }
  if (task_.policy.graphs_max > 0) return;  // these are not the first captures
  if (grown.size() < 2 || capture_order_.front()->pool_bytes == 0) return;
  const auto further = static_cast<double>(grown.size() - 1);
  launch.memory.line_bytes = std::llround(grown[0] + (grown[1] - grown[0]) * further);
}

// Checks the isolation of padding in each captured size. Must run last, because it writes inputs and state.
void Server::check() {
  std::int64_t below = 0;
  for (auto& [size, rung] : rungs_) {
    const std::int64_t fewest = below + 1;  // rows that run in this size, with the most padding
    below = size;
    if (!rung.set_up || fewest == size || task_.policy.pad == LadderPad::none) continue;
    if (!answer_.check) answer_.check.emplace().reference = "eager_padded";
    with_graph(rung, [&, rung = &rung, most = size - 1] {
      static_cast<void>(rung->executor->take_execs());
      of_.check_padding(*rung->executor, fewest, rung->result.size, *answer_.check);
      if (most > fewest) of_.check_padding(*rung->executor, most, rung->result.size, *answer_.check);
    });
    hooks_.alive();
  }
  if (answer_.check) answer_.check->identical = !answer_.check->tolerated;
}

}  // namespace graphbench::ladder
