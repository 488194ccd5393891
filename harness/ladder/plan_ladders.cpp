// Plans ladders and rivals, makes their ids, and summarizes their launches.
#include "harness/ladder/plan_ladders.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "graphs/base/digest.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/statistics/launch_intervals.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::ladder {
namespace {

std::vector<std::int64_t> distinct(const std::vector<std::int64_t>& rows) {
  const std::set<std::int64_t> sizes(rows.begin(), rows.end());
  return {sizes.begin(), sizes.end()};
}

// Ladders with equal cells, sizes, policies and traffic have the same id: they are launches of one ladder.
std::string id_of(const Ladder& ladder) {
  std::string text;
  for (const std::int64_t size : ladder.sizes) text += std::to_string(size) + ",";
  const auto& [pad, beyond, order, when, mutated, by, exec, graphs_max] = ladder.policy;
  for (const int each :
       {static_cast<int>(pad), static_cast<int>(beyond), static_cast<int>(order), static_cast<int>(when)})
    text += ";" + std::to_string(each);
  if (mutated != MutatedInputs::refuse) text += ";" + std::to_string(static_cast<int>(mutated));
  if (by != WarmupBy::capture) text += ";warmup-by=" + std::to_string(static_cast<int>(by));
  if (exec != ExecOf::own) text += ";exec=" + std::to_string(static_cast<int>(exec));
  if (graphs_max > 0) text += ";graphs-max=" + std::to_string(graphs_max);
  return model::id_of(ladder.cell) + "/ladder-" + sha256_hex(text).substr(0, 8) + "/traffic-" +
         ladder.traffic.digest;
}

// Finds the rival of ladder `of` by its role; null if there is none. `mode`: its mode, if not that of `of`.
const Ladder* rival(const std::vector<Ladder>& ladders, const Ladder& of, const std::string& role,
                    const std::string& mode = "") {
  const auto found = std::ranges::find_if(ladders, [&](const Ladder& each) {
    model::Cell cell = each.cell;
    cell.batch = of.cell.batch;
    if (role == "eager" || cell.mode == mode) cell.mode = of.cell.mode;
    const bool plays = each.role == role || std::ranges::count(each.also, role) > 0;
    return (plays || (role == "eager" && each.sizes.empty())) && cell == of.cell &&
           each.traffic.digest == of.traffic.digest;
  });
  return found == ladders.end() ? nullptr : &*found;
}

std::optional<double> over(const Ladder* rival, const Ladder& ladder) {
  if (rival == nullptr || !rival->summary.busy_seconds || !ladder.summary.busy_seconds) return std::nullopt;
  return rival->summary.busy_seconds->p50 / ladder.summary.busy_seconds->p50;
}

}  // namespace

PlannedLadder planned(const model::WorkerTask& task, const LadderRequest& request, const std::string& role,
                      std::vector<std::int64_t> sizes, std::vector<std::string> modes) {
  PlannedLadder planned;
  planned.task = {.task = task,
                  .sizes = std::move(sizes),
                  .modes = std::move(modes),
                  .policy = request.policy,
                  .rows = request.trace.rows,
                  .arrivals = request.trace.arrivals};
  planned.task.task.batches.clear();
  // A foreign step's library does not survive that its memory moves.
  if (task.preset == model::of_its_own) planned.task.placements = 1;
  if (role != "asked") planned.task.policy.when = role == "lazy" ? CaptureWhen::lazy : CaptureWhen::startup;
  if (role != "asked" && role != "lazy" && role != "startup") planned.task.policy.graphs_max = 0;
  if (planned.task.policy.when != CaptureWhen::lazy) planned.task.policy.warmup_by = WarmupBy::capture;
  if (planned.task.sizes.empty()) {  // without sizes, policy and mode have no effect
    planned.task.task.mode = model::reference_mode().name;
    planned.task.policy = {};
  }
  Ladder& ladder = planned.ladder;
  ladder.sizes = planned.task.sizes;
  ladder.cell = model::cell_of(planned.task.task, ladder.sizes.empty() ? 0 : ladder.sizes.back());
  if (!planned.task.modes.empty()) ladder.cell.mode = "best";
  ladder.role = role;
  ladder.policy = planned.task.policy;
  ladder.traffic = request.traffic;
  ladder.traffic.digest = request.trace.digest();
  ladder.traffic.steps = static_cast<std::int64_t>(request.trace.rows.size());
  ladder.traffic.rows =
      std::accumulate(request.trace.rows.begin(), request.trace.rows.end(), std::int64_t{0});
  ladder.traffic.sizes = static_cast<std::int64_t>(distinct(request.trace.rows).size());
  ladder.traffic.arrivals = !request.trace.arrivals.empty();
  ladder.id = id_of(ladder);
  return planned;
}

std::vector<PlannedLadder> plan_ladders(const model::Plan& plan, const LadderRequest& request) {
  std::vector<PlannedLadder> ladders;
  const auto add = [&](const model::WorkerTask& task, const std::string& role,
                       const std::vector<std::int64_t>& sizes) {
    PlannedLadder next = planned(task, request, role, sizes);
    const auto same = std::ranges::find_if(ladders, [&](const PlannedLadder& each) {
      return each.ladder.id == next.ladder.id && each.task.task.launch == task.launch;
    });
    if (same == ladders.end()) {
      ladders.push_back(std::move(next));
    } else if (same->ladder.role != role) {
      same->ladder.also.push_back(role);
    }
  };
  const std::vector<std::int64_t> every = distinct(request.trace.rows);
  for (const model::WorkerTask& task : plan.tasks) {
    const bool captures = model::is_graph_mode(task.mode);
    add(task, "asked", captures ? request.sizes : std::vector<std::int64_t>());
    if (!captures) continue;
    if (request.also_when)
      add(task, *request.also_when == CaptureWhen::lazy ? "lazy" : "startup", request.sizes);
    if (request.rivals || request.suggests) add(task, "eager", {});
    if (request.rivals && every.size() <= every_sizes_max) add(task, "every", every);
    if (!request.engine_sizes.empty()) add(task, "engine", request.engine_sizes);
  }
  return ladders;
}

std::vector<PlannedLadder> plan_best(const model::Plan& plan, const LadderRequest& request,
                                     const std::vector<BestModes>& best) {
  std::vector<PlannedLadder> ladders;
  std::set<std::pair<std::string, std::int64_t>> seen;
  for (const model::WorkerTask& task : plan.tasks) {
    for (const BestModes& modes : best) {
      model::Cell cell = model::cell_of(task, modes.cell.batch);
      cell.mode = modes.cell.mode;
      if (cell != modes.cell || !model::is_graph_mode(task.mode)) continue;
      std::vector<std::int64_t> sizes;
      std::vector<std::string> words;
      for (const BestSize& each : modes.sizes) {
        sizes.push_back(each.size);
        words.push_back(each.mode);
      }
      PlannedLadder next = planned(task, request, "best", std::move(sizes), std::move(words));
      if (seen.emplace(next.ladder.id, task.launch).second) ladders.push_back(std::move(next));
    }
  }
  return ladders;
}

double estimated_seconds(const std::vector<PlannedLadder>& ladders) {
  constexpr double start_seconds = 1, size_seconds = 0.1, step_seconds = 2e-4;
  double seconds = 0;
  for (const PlannedLadder& each : ladders) {
    const ServeTask& task = each.task;
    const double steps = std::max(step_seconds * static_cast<double>(task.rows.size()),
                                  task.arrivals.empty() ? 0 : task.arrivals.back());
    seconds += start_seconds + static_cast<double>(task.placements) *
                                   (size_seconds * static_cast<double>(task.sizes.size()) + steps);
  }
  return seconds;
}

void add_answer(std::vector<Ladder>& ladders, const PlannedLadder& planned, const ServeAnswer& answer) {
  auto found = std::ranges::find(ladders, planned.ladder.id, &Ladder::id);
  if (found == ladders.end()) found = ladders.insert(ladders.end(), planned.ladder);
  // Keeps the worst status: CellStatus orders `skipped` before `failed`.
  if (answer.status > found->status) {
    found->status = answer.status;
    found->reason = answer.reason;
  }
  if (answer.check) found->check = answer.check;
  if (answer.status == model::CellStatus::ok) found->launches.push_back(answer.launch);
}

void summarize(std::vector<Ladder>& ladders) {
  for (Ladder& ladder : ladders) {
    std::vector<double> latency, submit, busy;
    for (const LadderLaunch& launch : ladder.launches) {
      if (launch.latency_seconds) latency.push_back(launch.latency_seconds->p50);
      if (launch.submit_seconds) submit.push_back(launch.submit_seconds->p50);
      busy.push_back(launch.busy_seconds);
    }
    ladder.summary.latency_seconds = model::estimate_over(latency);
    ladder.summary.submit_seconds = model::estimate_over(submit);
    ladder.summary.busy_seconds = model::estimate_over(busy);
  }
  for (Ladder& ladder : ladders) {
    if (is_rival(ladder) || ladder.sizes.empty()) continue;
    if (ladder.role == "best") {
      for (const std::string& mode : model::names_of(model::modes())) {
        const Ladder* const of_mode = rival(ladders, ladder, "asked", mode);
        if (const auto ratio = over(of_mode, ladder)) ladder.summary.over_modes[mode] = *ratio;
      }
    }
    ladder.summary.over_eager = over(rival(ladders, ladder, "eager"), ladder);
    ladder.summary.over_every = over(rival(ladders, ladder, "every"), ladder);
    ladder.summary.over_engine = over(rival(ladders, ladder, "engine"), ladder);
  }
}

}  // namespace graphbench::ladder
