// The server. Between a step's clock reads are its copies, padding, replays, and captures that it waits for.
#include "harness/ladder/serve.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "graphs/execution/executor.hpp"
#include "harness/ladder/caller.hpp"
#include "harness/ladder/interpolate.hpp"
#include "harness/ladder/isolation.hpp"
#include "harness/ladder/route.hpp"
#include "harness/machine/exec_memory.hpp"
#include "harness/statistics/quantiles.hpp"
#include "harness/statistics/summary.hpp"

namespace graphbench::ladder {
namespace {

using Clock = std::chrono::steady_clock;
using execution::ExecutionMode;
using execution::Executor;

double seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// A captured size.
struct Rung {
  model::LadderSize result;
  std::unique_ptr<Executor>
      executor;  // its kernels are prepared at start-up, also where it is captured later
  bool captured = false;
  std::int64_t pool_bytes = 0;  // of all captures up to this one
  std::vector<double> step_samples;
  std::vector<double> eager_samples;
};
struct EagerRows {
  std::unique_ptr<Executor> executor;
  std::vector<double> samples;
};

// What serving a number of rows comes to, with everything looked up.
struct Prepared {
  Route route;
  Rung* full = nullptr;  // of parts of the largest size
  Rung* last = nullptr;
  Executor* eager = nullptr;
};

class Server {
 public:
  Server(const ServeTask& task, worker::TaskRig& rig, const ir::Program& program, worker::StartupClock& clock,
         const std::function<void()>& alive, ServeAnswer& answer)
      : task_(task), rig_(rig), program_(program), clock_(clock), alive_(alive), answer_(answer) {}

  void run() {
    check_program();
    start_up();
    serve_steps();
    calibrate();
    report();
    check();
  }

 private:
  void check_program() const;
  void start_up();
  std::int64_t allocate();
  void prepare(std::int64_t size);
  void capture(Rung& rung);
  void drop(std::int64_t size, const Error& error);
  void look_up();
  void serve_steps();
  void serve_one(const Prepared& step);
  void replay(Rung& rung, Caller::Rows rows);
  void wait_for(Clock::time_point arrival) const;
  void calibrate();
  void report();
  void report_memory(model::LadderLaunch& launch);
  void check();

  const ServeTask& task_;
  worker::TaskRig& rig_;
  const ir::Program& program_;
  worker::StartupClock& clock_;
  const std::function<void()>& alive_;
  ServeAnswer& answer_;

  std::vector<std::int64_t> sizes_;  // ascending; less those that were dropped
  std::map<std::int64_t, Rung> rungs_;
  std::vector<model::LadderSize> dropped_;
  std::map<std::int64_t, EagerRows> eager_;
  std::map<std::int64_t, Prepared> prepared_;
  std::optional<Caller> caller_;
  std::vector<Rung*> capture_order_;
  // Of the steps served.
  Tally tally_;
  double stall_ = 0;  // of the step under way
  std::vector<double> latency_, submit_, wait_, response_, stalls_;
};

void Server::check_program() const {
  require_batch_major(program_);
  if (task_.policy.beyond != model::LadderBeyond::split) return;
  const std::vector<ir::ValueId> states = program_.values_of(ir::ValueKind::state);
  if (states.empty()) return;
  throw Error(ErrorCode::state_not_splittable,
              "serve " + program_.name() + ": state " + program_.value(states.front()).name +
                  " belongs to whole batches, so steps beyond the ladder cannot run "
                  "in parts: give --beyond eager or refuse");
}

void Server::drop(std::int64_t size, const Error& error) {
  std::erase(sizes_, size);
  rungs_.erase(size);
  model::LadderSize& dropped = dropped_.emplace_back();
  dropped.size = size;
  dropped.dropped = model::Reason{std::string(name_of(error.code())), error.what()};
}

// Static buffers for the largest that runs. Returns how many rows that is.
std::int64_t Server::allocate() {
  while (true) {
    prepared_.clear();
    std::int64_t largest = sizes_.empty() ? 0 : sizes_.back();
    for (const std::int64_t rows : task_.rows) {
      const std::optional<Route> found = route(sizes_, rows, task_.policy);
      if (!found)
        throw Error(ErrorCode::out_of_memory, "serve a step of " + std::to_string(rows) +
                                                  " rows: it is beyond the largest size that fits in memory");
      prepared_[rows].route = *found;
      if (found->captured == 0) largest = std::max(largest, found->rest);
    }
    try {
      rig_.allocate(largest);
      caller_.emplace(rig_.context(rig_.graph_pool()),
                      std::max(largest, *std::ranges::max_element(task_.rows)),
                      worker::seed_for(task_.task, worker::SeedUse::inputs, 1));
      rig_.stream().synchronize();
      return largest;
    } catch (const Error& error) {
      // Without the largest size less is needed, unless steps run eagerly at that many rows.
      if (error.code() != ErrorCode::out_of_memory || sizes_.empty() || sizes_.back() < largest) throw;
      rig_.release();
      drop(sizes_.back(), error);
    }
  }
}

void Server::prepare(std::int64_t size) {
  Rung& rung = rungs_[size];
  rung.result.size = size;
  const auto start = Clock::now();
  rung.executor = execution::make_executor(rig_.mode(), rig_.context(rig_.graph_pool()), size);
  rung.result.setup.prepare_seconds = seconds(Clock::now() - start);
}

void Server::capture(Rung& rung) {
  const auto start = Clock::now();
  rig_.set_up(*rung.executor, rung.result.setup, [](std::string_view) {});
  rung.captured = true;
  rung.pool_bytes = static_cast<std::int64_t>(rig_.graph_pool()->statistics().reserved_bytes);
  capture_order_.push_back(&rung);
  stall_ += seconds(Clock::now() - start);
}

void Server::start_up() {
  sizes_ = task_.sizes;
  allocate();
  clock_.lap(&model::Startup::weights_seconds);
  std::vector<std::int64_t> order = sizes_;
  if (task_.policy.order == model::CaptureOrder::largest) std::ranges::reverse(order);
  for (const std::int64_t size : order) {
    alive_();
    try {
      prepare(size);
      if (task_.policy.when == model::CaptureWhen::startup) capture(rungs_[size]);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_memory) throw;
      drop(size, error);
      continue;
    }
    clock_.add(rungs_[size].result.setup);
  }
  look_up();
}

// Routes once more, because sizes may have been dropped; and kernels for what runs eagerly.
void Server::look_up() {
  for (auto& [rows, step] : prepared_) {
    const std::optional<Route> found = route(sizes_, rows, task_.policy);
    if (!found || (found->captured == 0 && found->rest > rig_.buffers().largest_batch()))
      throw Error(ErrorCode::out_of_memory, "serve a step of " + std::to_string(rows) +
                                                " rows: it is beyond the largest size that fits in memory");
    step.route = *found;
    if (found->full_parts > 0) step.full = &rungs_.at(sizes_.back());
    if (found->captured > 0) {
      step.last = &rungs_.at(found->captured);
      continue;
    }
    EagerRows& eager = eager_[found->rest];
    if (eager.executor == nullptr) {
      alive_();
      eager.executor = execution::make_executor(ExecutionMode::eager, rig_.context(nullptr), found->rest);
      eager.executor->submit();  // the pool grows, and code is loaded, before steps are timed
      rig_.stream().synchronize();
    }
    step.eager = eager.executor.get();
  }
}

void Server::replay(Rung& rung, Caller::Rows rows) {
  caller_->copy_in(rows, rung.result.size);
  if (!rung.captured) capture(rung);
  rung.executor->submit();
  caller_->copy_out(*rung.executor, rows);
}

void Server::serve_one(const Prepared& step) {
  std::int64_t first = 0;
  for (std::int64_t part = 0; part < step.route.full_parts; ++part, first += step.full->result.size)
    replay(*step.full, {first, step.full->result.size});
  if (step.last != nullptr) {
    replay(*step.last, {first, step.route.rest});
  } else {
    if (first > 0) caller_->copy_in({first, step.route.rest}, step.route.rest);
    step.eager->submit();
  }
}

// A framework's eager step takes its caller's pointers: the copies that ours needs are not its cost.
bool takes_pointers(const Prepared& step) {
  return step.eager != nullptr && step.route.full_parts == 0;
}

// Spins, as a sleeping thread would wake too late.
void Server::wait_for(Clock::time_point arrival) const {
  while (Clock::now() < arrival) {
  }
}

void Server::serve_steps() {
  constexpr auto alive_every = std::chrono::seconds(10);
  std::vector<const Prepared*> steps;
  for (const std::int64_t rows : task_.rows) steps.push_back(&prepared_.at(rows));
  for (auto* samples : {&latency_, &submit_, &wait_, &response_, &stalls_}) samples->reserve(steps.size());
  caller_->forget();
  rig_.device().synchronize();
  const auto begin = Clock::now();
  auto said = begin;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Prepared& step = *steps[i];
    if (takes_pointers(step)) {
      caller_->copy_in({0, step.route.rest}, step.route.rest);
      rig_.stream().synchronize();
    }
    auto arrival = Clock::time_point::min();
    if (!task_.arrivals.empty()) {
      arrival = begin + std::chrono::nanoseconds(std::llround(task_.arrivals[i] * 1e9));
      wait_for(arrival);
    }
    stall_ = 0;
    const auto start = Clock::now();
    serve_one(step);
    const auto submitted = Clock::now();
    rig_.stream().synchronize();
    const auto end = Clock::now();
    submit_.push_back(seconds(submitted - start));
    latency_.push_back(seconds(end - start));
    if (!task_.arrivals.empty()) {
      wait_.push_back(seconds(start - arrival));
      response_.push_back(seconds(end - arrival));
    }
    if (stall_ > 0) stalls_.push_back(stall_);
    tally_.add(step.route, sizes_, task_.policy.when);
    if (end - said < alive_every) continue;
    alive_();
    said = end;
  }
}

// Each size some times, in mixed order as in traffic: its graph with a full batch of the caller's rows, and
// eager. What no step used is not captured for this.
void Server::calibrate() {
  const auto time = [&](std::vector<double>& samples, const std::function<void()>& enqueue) {
    const auto start = Clock::now();
    enqueue();
    rig_.stream().synchronize();
    samples.push_back(seconds(Clock::now() - start));
  };
  std::vector<std::function<void()>> turns;
  for (auto& [size, rung] : rungs_) {
    if (!rung.captured) continue;
    turns.emplace_back([&, rows = Caller::Rows{0, size}, rung = &rung] {
      time(rung->step_samples, [&] { replay(*rung, rows); });
    });
    turns.emplace_back(
        [&, rung = &rung] { time(rung->eager_samples, [&] { rung->executor->eager().submit(); }); });
  }
  for (auto& [rows, eager] : eager_)
    turns.emplace_back([&, eager = &eager] { time(eager->samples, [&] { eager->executor->submit(); }); });
  std::mt19937_64 random(worker::seed_for(task_.task, worker::SeedUse::order));
  const std::size_t rounds = std::clamp<std::size_t>(8192 / std::max<std::size_t>(turns.size(), 1), 8, 32);
  for (std::size_t round = 0; round <= rounds; ++round) {
    for (std::size_t i = turns.size(); i > 1; --i) std::swap(turns[i - 1], turns[random() % i]);
    for (const auto& turn : turns) turn();
    alive_();
    if (round > 0) continue;
    // The first round, whose eager steps may grow the pool, does not count.
    for (auto& [size, rung] : rungs_) rung.step_samples.clear(), rung.eager_samples.clear();
    for (auto& [rows, eager] : eager_) eager.samples.clear();
  }
}

void Server::report() {
  model::LadderLaunch& launch = answer_.launch;
  launch.index = task_.task.launch;
  launch.startup = clock_.startup();
  launch.steps = tally_.steps;
  launch.split_steps = tally_.split_steps;
  launch.hit_rate = tally_.hit_rate();
  launch.padding = tally_.padding();
  launch.stalls = {static_cast<std::int64_t>(stalls_.size()),
                   std::accumulate(stalls_.begin(), stalls_.end(), 0.0),
                   stalls_.empty() ? 0 : *std::ranges::max_element(stalls_)};
  launch.latency_seconds = statistics::summarize(latency_);
  launch.submit_seconds = statistics::summarize(submit_);
  launch.wait_seconds = statistics::summarize(wait_);
  launch.response_seconds = statistics::summarize(response_);
  launch.busy_seconds = std::accumulate(latency_.begin(), latency_.end(), 0.0);
  launch.rows_per_second =
      static_cast<double>(std::accumulate(task_.rows.begin(), task_.rows.end(), std::int64_t{0})) /
      launch.busy_seconds;
  launch.sizes = dropped_;
  for (auto& [size, rung] : rungs_) {
    model::LadderSize& of = rung.result;
    for (const auto& [rows, count] : tally_.used[size]) {
      of.rows.push_back({rows, count});
      of.uses += count;
    }
    of.step_seconds = statistics::median_or_absent(rung.step_samples);
    of.eager_seconds = statistics::median_or_absent(rung.eager_samples);
    const double cost = of.setup.capture_seconds + of.setup.instantiate_seconds + of.setup.upload_seconds;
    if (of.step_seconds && *of.eager_seconds > *of.step_seconds)
      of.breakeven_steps = std::ceil(cost / (*of.eager_seconds - *of.step_seconds));
    launch.sizes.push_back(of);
  }
  std::ranges::sort(launch.sizes, {}, &model::LadderSize::size);
  for (const auto& [rows, eager] : eager_)
    launch.eager.push_back({rows, tally_.eager[rows], statistics::median_or_absent(eager.samples)});
  add_expectations(launch);
  report_memory(launch);
}

void Server::report_memory(model::LadderLaunch& launch) {
  constexpr std::int64_t exec_nodes_wanted = 1024;
  launch.memory.static_bytes = static_cast<std::int64_t>(rig_.buffers().bytes());
  launch.memory.workspace_bytes = static_cast<std::int64_t>(rig_.device().workspace_bytes());
  if (capture_order_.empty()) return;
  launch.memory.pool_bytes = capture_order_.back()->pool_bytes;
  machine::ExecMemory memory(rig_.device(), rig_.stream(), exec_nodes_wanted);
  std::vector<double> grown;  // pool and execs, after each capture
  double execs = 0;
  bool known = true;
  for (const Rung* rung : capture_order_) {
    const std::optional<double> bytes = known ? memory.bytes_of(rung->executor->graphs()) : std::nullopt;
    known = known && bytes.has_value();
    execs += bytes.value_or(0);
    grown.push_back(static_cast<double>(rung->pool_bytes) + execs);
    alive_();
  }
  if (known) launch.memory.exec_bytes = std::llround(execs);
  if (grown.size() < 2) return;
  const auto further = static_cast<double>(grown.size() - 1);
  launch.memory.line_bytes = std::llround(grown[0] + (grown[1] - grown[0]) * further);
}

// Last of all: it writes inputs and state.
void Server::check() {
  std::int64_t below = 0;
  for (auto& [size, rung] : rungs_) {
    const std::int64_t rows = below + 1;  // with the most padding that this size ever has
    below = size;
    if (!rung.captured || rows == size || task_.policy.pad == model::LadderPad::none) continue;
    answer_.check = model::Check{.reference = "eager_padded", .identical = false, .max_abs_error = 0};
    check_isolation({*rung.executor, rig_.context(rig_.graph_pool()), rows, size,
                     worker::seed_for(task_.task, worker::SeedUse::check, size)});
    alive_();
  }
  if (answer_.check) answer_.check->identical = true;
}

}  // namespace

void serve(const ServeTask& task, worker::TaskRig& rig, const ir::Program& program,
           worker::StartupClock& clock, const std::function<void()>& alive, ServeAnswer& answer) {
  Server(task, rig, program, clock, alive, answer).run();
}

}  // namespace graphbench::ladder
