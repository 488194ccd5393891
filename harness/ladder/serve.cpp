// Starts a server and serves its steps. A step's time includes copies, padding, replays and awaited captures.
#include "harness/ladder/serve.hpp"

#include <algorithm>
#include <cmath>

#include "graphs/base/text.hpp"
#include "harness/ladder/server.hpp"
#include "harness/ladder/traffic.hpp"

namespace graphbench::ladder {

using execution::ExecutionMode;

namespace {

[[noreturn]] void refuse_step(std::int64_t rows) {
  throw Error(ErrorCode::out_of_memory,
              "serve a step of " + std::to_string(rows) +
                  " rows: the step is larger than the largest size that fits in memory");
}

// True for an eager step in one part. Its copies are not timed, because a framework's eager step would use
// the caller's tensors without copies.
bool takes_pointers(const Prepared& step) {
  return step.eager != nullptr && step.route.full_parts == 0;
}

}  // namespace

void Server::move() {
  for (auto& [size, rung] : rungs_) {
    rung.executor.reset();
    rung.captured = false;
    rung.warmed = 0;
  }
  for (auto& [rows, eager] : eager_) eager.executor.reset();
  capture_order_.clear();
  groups_.clear();
  selector_.reset();
  updates_ = 0;
  prepared_.clear();
  of_.release();
  tally_ = fresh_tally();
  const auto index = task_.task.launch * task_.placements + static_cast<std::int64_t>(placements_.size());
  hooks_.move(measure::seed_for(task_.task, measure::SeedUse::moves, index));
}

void Server::drop(std::int64_t size, const Error& error) {
  if (!is_first())
    throw Error(ErrorCode::out_of_memory,
                "placement " + std::to_string(placements_.size() + 1) +
                    ": a size that fitted in the first placement does not fit now: " + error.what());
  std::erase(sizes_, size);
  std::erase(tally_.captured, size);
  std::erase(capture_order_, &rungs_[size]);
  rungs_.erase(size);
  LadderSize& dropped = dropped_.emplace_back();
  dropped.size = size;
  dropped.dropped = model::reason_of(error);
}

ExecutionMode Server::mode_of(std::int64_t size) const {
  if (task_.modes.empty()) return of_.mode();
  const auto at = std::ranges::find(task_.sizes, size) - task_.sizes.begin();
  return execution::find_mode(task_.modes.at(static_cast<std::size_t>(at))).value();
}

// The route of a step. In mode "best" a size may be eager: it is not captured, and steps are not padded.
std::optional<Route> Server::route_of(std::int64_t rows) const {
  std::optional<Route> found = route(sizes_, rows, task_.policy);
  if (!found || task_.modes.empty()) return found;
  if (found->full_parts > 0 && mode_of(sizes_.back()) == ExecutionMode::eager)
    return Route{.how = How::eager_beyond, .full_parts = 0, .rest = rows, .captured = 0};
  if (found->captured > 0 && mode_of(found->captured) == ExecutionMode::eager) {
    found->how = How::eager_below;
    found->captured = 0;
  }
  return found;
}

// Allocates static buffers for the largest size that runs, and returns its number of rows. Drops the largest
// captured size as long as memory does not suffice.
std::int64_t Server::allocate() {
  while (true) {
    prepared_.clear();
    std::int64_t largest = sizes_.empty() ? 0 : sizes_.back();
    for (const std::int64_t rows : task_.rows) {
      const std::optional<Route> found = route_of(rows);
      if (!found) refuse_step(rows);
      prepared_[rows].route = *found;
      if (found->captured == 0) largest = std::max(largest, found->rest);
    }
    try {
      of_.allocate(largest, *std::ranges::max_element(task_.rows));
      return largest;
    } catch (const Error& error) {
      // Dropping the largest size saves memory, unless an eager step needs more rows than that size.
      if (error.code() != ErrorCode::out_of_memory || sizes_.empty() || sizes_.back() < largest) throw;
      of_.release();
      drop(sizes_.back(), error);
    }
  }
}

double Server::prepare(std::int64_t size) {
  Rung& rung = rungs_[size];
  if (!task_.modes.empty()) rung.result.mode = execution::name_of(mode_of(size));
  double seconds = 0;
  rung.executor = of_.make(mode_of(size), size, seconds);
  if (is_first() && !rung.set_up && seconds > 0) rung.result.setup.prepare_seconds = seconds;
  rung.prepared_again = seconds;
  return seconds;
}

void Server::capture(Rung& rung) {
  const Stopwatch watch;
  const bool first = is_first() && !rung.set_up;
  rig_.set_up(
      *rung.executor, first ? rung.result.setup : rung.later.emplace(), [](std::string_view) {},
      by_requests() ? 0 : task_.task.warmup);
  if (!first && task_.policy.graphs_max > 0) rung.later->prepare_seconds = rung.prepared_again;
  rung.captured = rung.set_up = true;
  of_.captured(rung.result.size);
  if (of_.prepares_ahead() || task_.policy.when == CaptureWhen::startup) rung.pool_bytes = of_.pool_bytes();
  capture_order_.push_back(&rung);
  if (task_.policy.exec == ExecOf::shared) join_group(rung);
  stall_ += watch.seconds();
}

void Server::release(Rung& rung) {
  rung.executor.reset();
  rung.captured = false;
  std::erase(capture_order_, &rung);
  of_.close(rung.result.size);
}

// Between steps: destroys what --graphs-max leaves no room for.
void Server::evict() {
  for (const std::int64_t size : tally_.evicted) {
    const auto free = [this] { return static_cast<std::int64_t>(rig_.device().memory().free_bytes); };
    const std::int64_t before = free();
    const Stopwatch watch;
    release(rungs_.at(size));
    if (!is_first()) continue;
    evictions_.seconds += watch.seconds();
    ++evictions_.count;
    evictions_.returned_bytes += free() - before;
  }
}

// Captures a size for this work alone, unless it is captured.
void Server::with_graph(Rung& rung, const std::function<void()>& work) {
  if (rung.captured) return work();
  if (rung.executor == nullptr) prepare(rung.result.size);
  rung.executor->eager().restore();
  capture(rung);
  work();
  release(rung);
}

void Server::join_group(Rung& rung) {
  for (std::vector<Rung*>& group : groups_) {
    if (!rung.executor->share_execs(*group.front()->executor)) continue;
    group.push_back(&rung);
    return;
  }
  groups_.push_back({&rung});
}

void Server::join_switch() {
  std::vector<execution::Executor*> executors;
  for (Rung* const rung : capture_order_) executors.push_back(rung->executor.get());
  selector_.emplace(rig_.device(), sizeof(std::int32_t));
  executors.front()->join_switch(executors, selector_->data());
  groups_.push_back(capture_order_);
}

void Server::start_up() {
  if (is_first()) sizes_ = task_.sizes;
  allocate();
  if (is_first()) clock_.lap(&model::Startup::weights_seconds);
  tally_.start(sizes_, task_.policy);
  std::vector<std::int64_t> order = sizes_;
  if (task_.policy.order == CaptureOrder::largest) std::ranges::reverse(order);
  for (const std::int64_t size : order) {
    if (mode_of(size) == ExecutionMode::eager) continue;
    hooks_.alive();
    try {
      rungs_[size].result.size = size;
      const bool now = contains(tally_.captured, size);
      if (of_.prepares_ahead() || now) prepare(size);
      if (now) capture(rungs_[size]);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_memory) throw;
      drop(size, error);
      continue;
    }
    if (is_first()) clock_.add(rungs_[size].result.setup);
  }
  if (task_.policy.exec == ExecOf::one_switch && !capture_order_.empty()) join_switch();
  look_up();
}

// Routes again, because sizes may have been dropped, and prepares kernels for the eager steps.
void Server::look_up() {
  for (auto& [rows, step] : prepared_) {
    const std::optional<Route> found = route_of(rows);
    if (!found || (found->captured == 0 && found->rest > of_.largest())) refuse_step(rows);
    step.route = *found;
    if (found->full_parts > 0) step.full = &rungs_.at(sizes_.back());
    if (found->captured > 0) {
      step.last = &rungs_.at(found->captured);
      if (step.full == nullptr) step.served = &step.last->served;
      continue;
    }
    EagerRows& eager = eager_[found->rest];
    if (eager.executor == nullptr) {
      hooks_.alive();
      const Stopwatch watch;
      eager.executor = of_.make_eager(found->rest);
      model::Setup prepared{};
      prepared.prepare_seconds = watch.seconds();
      if (is_first()) clock_.add(prepared);
      eager.executor->restore();
      eager.executor->submit();  // grows the pool and loads code before steps are timed
      rig_.stream().synchronize();
    }
    step.eager = eager.executor.get();
    if (step.full == nullptr) step.served = &eager.served;
  }
}

// If the request is a warmup of its size, runs it eagerly, padded like the graph, and returns true.
bool Server::warm_up_by(Rung& rung) {
  if (rung.captured || !by_requests() || rung.warmed == task_.task.warmup) return false;
  ++rung.warmed;
  rung.executor->warm_up();
  return true;
}

void Server::replay(Rung& rung, Rows rows) {
  of_.copy_in(rows, rung.result.size);
  if (warm_up_by(rung)) {
    warming_ = true;
    of_.copy_out(rung.executor->eager(), rows, rung.result.size);
    return of_.copy_back(rows, rung.result.size);
  }
  if (!rung.captured) {  // the capture's warmups may write the inputs, so copy them again
    capture(rung);
    of_.forget();
    rung.executor->restore();
    of_.copy_in(rows, rung.result.size);
  }
  updates_ += rung.executor->take_execs() ? 1 : 0;
  rung.executor->submit();
  of_.copy_out(*rung.executor, rows, rung.result.size);
  of_.copy_back(rows, rung.result.size);
}

void Server::serve_one(const Prepared& step) {
  std::int64_t first = 0;
  for (std::int64_t part = 0; part < step.route.full_parts; ++part, first += step.full->result.size)
    replay(*step.full, {first, step.full->result.size});
  if (step.last != nullptr) {
    replay(*step.last, {first, step.route.rest});
  } else {
    if (first > 0) of_.copy_in({first, step.route.rest}, step.route.rest);
    step.eager->submit();
    if (first > 0) of_.copy_back({first, step.route.rest}, step.route.rest);
  }
}

// Opens a size that has nothing until its first request, and puts state back: outside of the clock, because
// graphbench then also looks for state. What a server would need for it counts as waited for.
void Server::make_ready(const Prepared& step) {
  for (Rung* const rung : {step.full, step.last}) {
    if (rung == nullptr) continue;
    if (rung->executor == nullptr) stall_ = ahead_ += prepare(rung->result.size);
    (rung->captured ? *rung->executor : rung->executor->eager()).restore();
  }
  if (step.eager != nullptr) step.eager->restore();
  rig_.stream().synchronize();
}

// Spins, because a sleeping thread would wake up late. Reports progress during long waits.
void Server::wait(double wanted, SteadyClock::time_point& said) const {
  const auto until = SteadyClock::now() + std::chrono::nanoseconds(std::llround(wanted * 1e9));
  for (auto now = SteadyClock::now(); now < until; now = SteadyClock::now()) {
    if (now - said < std::chrono::milliseconds(200) || until - now < std::chrono::milliseconds(1)) continue;
    hooks_.alive();
    said = now;
  }
}

void Server::serve_steps() {
  constexpr auto alive_every = std::chrono::seconds(10);
  std::vector<const Prepared*> steps;
  for (const std::int64_t rows : task_.rows) steps.push_back(&prepared_.at(rows));
  Served served;
  for (auto* samples : {&served.latency, &served.submit, &served.wait, &served.response, &served.stalls})
    samples->reserve(steps.size());
  of_.forget();
  rig_.device().synchronize();
  auto said = SteadyClock::now();
  Queue queue;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Prepared& step = *steps[i];
    const Rows own{0, of_.stages_eager_rows() && takes_pointers(step) ? step.route.rest : 0};
    if (own.count > 0) {
      of_.copy_in(own, own.count);
      rig_.stream().synchronize();
    }
    if (!task_.arrivals.empty()) wait(queue.idle_before(task_.arrivals[i]), said);
    stall_ = ahead_ = 0;
    warming_ = false;
    make_ready(step);
    const auto start = SteadyClock::now();
    serve_one(step);
    const auto submitted = SteadyClock::now();
    rig_.stream().synchronize();
    const auto end = SteadyClock::now();
    served.submit.push_back(std::chrono::duration<double>(submitted - start).count());
    served.latency.push_back(std::chrono::duration<double>(end - start).count() + ahead_);
    if (!task_.arrivals.empty()) {
      const Queue::Turn turn = queue.serve(task_.arrivals[i], served.latency.back());
      served.wait.push_back(turn.wait);
      served.response.push_back(turn.response);
    }
    if (own.count > 0) {  // not timed: a framework's step writes the caller's memory directly
      of_.copy_back(own, own.count);
      rig_.stream().synchronize();
    }
    if (stall_ > 0) {
      served.stalls.push_back(stall_);
    } else if (step.served != nullptr && !warming_) {
      step.served->push_back(served.latency.back());
    }
    for (Rung* const rung : {step.full, step.last}) {
      if (rung == nullptr || rung->requested) continue;
      rung->requested = true;
      if (step.full == nullptr) rung->result.first_request_seconds = served.latency.back();
    }
    tally_.add(step.route, sizes_);
    evict();
    if (end - said < alive_every) continue;
    hooks_.alive();
    said = end;
  }
  placements_.push_back(std::move(served));
}

void serve(const ServeTask& task, measure::Rig& rig, measure::StartupClock& clock, const ServeHooks& hooks,
           ServeAnswer& answer) {
  const std::unique_ptr<Steps> steps = steps_of(task, rig);
  Server(task, *steps, clock, hooks, answer).run();
}

}  // namespace graphbench::ladder
