// Divides a cell's time among its passes and runs them.
#include "harness/measure/passes.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <random>

#include "harness/statistics/median_interval.hpp"
#include "harness/statistics/steady.hpp"
#include "harness/statistics/summary.hpp"

namespace graphbench::measure {
namespace {

using Clock = std::chrono::steady_clock;

// How a cell's time is shared out: latency carries the verdicts, so it gets half. The last tenth is for the
// steps that begin a visit and are not timed.
constexpr double latency_share = 0.5;
constexpr double device_share = 0.3;
constexpr double throughput_share = 0.1;

PassBounds share_of(const model::SamplingBounds& bounds, double share) {
  PassBounds pass;
  pass.seconds_max = bounds.seconds_max * share;
  pass.samples_max = bounds.samples_max;
  pass.samples_min = std::min(pass.samples_min, pass.samples_max);
  pass.samples_wanted = std::min(statistics::samples_for_p99, pass.samples_max);
  return pass;
}

// The samples that the ramp took count towards the latency pass's.
PassBounds without(PassBounds bounds, std::int64_t ramped) {
  bounds.samples_max -= ramped;
  bounds.samples_min = std::min(bounds.samples_min, bounds.samples_max);
  bounds.samples_wanted = std::min(bounds.samples_wanted, bounds.samples_max);
  return bounds;
}

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

double precision_of(std::vector<double> samples) {
  std::ranges::sort(samples);
  return statistics::relative_half_width(samples);
}

// One pass, continued at each visit.
struct Pass {
  std::string name;
  PassBounds bounds;  // of all visits together
  std::function<void(benchmark::State&)> loop;
  std::function<double()> precision;  // the half width so far
  PassState state{.samples = 0, .seconds = 0, .relative_half_width = std::numeric_limits<double>::infinity()};
  std::string stopped_by;
};

// Runs rounds until a bound ends the visit. The time counted is wall time, not the measured spans, because
// the bound is on how long the user waits.
void go_on(Pass& pass, const PassBounds& bounds) {
  const double seconds_before = pass.state.seconds;
  const auto start = Clock::now();
  for (;;) {
    if (const std::optional<StoppedBy> bound = stop_of(bounds, pass.state)) {
      pass.stopped_by = name_of(*bound);
      return;
    }
    const std::int64_t round = next_round(bounds, pass.state);
    run_round(pass.name, round, pass.loop);
    pass.state.samples += round;
    pass.state.seconds = seconds_before + std::chrono::duration<double>(Clock::now() - start).count();
    pass.state.relative_half_width = pass.precision();
  }
}

}  // namespace

void measure_ramp(const std::string& cell_id, const StepUnderTest& step, const model::SamplingBounds& bounds,
                  model::Launch& launch) {
  // The latency pass gets at least one sample.
  const std::int64_t steps = std::clamp<std::int64_t>(bounds.samples_max - 1, 1, statistics::ramp_samples);
  SampleBuffer submit_ns(static_cast<std::size_t>(steps));
  SampleBuffer latency_ns(static_cast<std::size_t>(steps));
  run_round(cell_id + "/ramp", steps,
            [&](benchmark::State& state) { latency_loop<Clock>(state, step, submit_ns, latency_ns); });
  append(launch.submit_samples, submit_ns.seconds());
  append(launch.latency_samples, latency_ns.seconds());
  append(launch.latency_started_ns, latency_ns.started_ns());
  launch.setup.first_step_seconds = launch.latency_samples.front();
}

class CellPasses::Implementation {
 public:
  Implementation(const std::string& cell_id, const model::SamplingBounds& bounds, std::uint64_t order_seed,
                 model::Launch& launch)
      : launch_(launch),
        generator_(order_seed),
        latency_{.name = cell_id + "/latency",
                 .bounds = without(share_of(bounds, latency_share),
                                   static_cast<std::int64_t>(launch.latency_samples.size())),
                 .loop = [this](auto& state) { latency_loop<Clock>(state, *step_, submit_ns_, latency_ns_); },
                 .precision = [this] { return precision_of(latency_ns_.seconds()); },
                 .stopped_by = {}},
        device_{
            .name = cell_id + "/device",
            .bounds = share_of(bounds, device_share),
            .loop = [this](auto& state) { device_loop<Clock>(state, *step_, *begin_, *end_, device_ns_); },
            .precision = [this] { return precision_of(device_ns_.seconds()); },
            .stopped_by = {}},
        throughput_{.name = cell_id + "/throughput",
                    .bounds = share_of(bounds, throughput_share),
                    .loop = [this](auto& state) { count_throughput(state); },
                    .precision = [this] { return precision_of(seconds_a_step_); },
                    .stopped_by = {}},
        submit_ns_(static_cast<std::size_t>(latency_.bounds.samples_max)),
        latency_ns_(static_cast<std::size_t>(latency_.bounds.samples_max)),
        device_ns_(static_cast<std::size_t>(device_.bounds.samples_max)) {}

  void visit(const StepUnderTest& step, Device& device, CacheFlush* cache) {
    ++visits_;
    step_ = &step;
    begin_ = device.make_event();
    end_ = device.make_event();
    if (cache != nullptr) cache->run();
    settle();
    std::ranges::shuffle(order_, generator_);
    for (Pass* pass : order_) {
      // Back to back means many steps in a round: throughput is not divided.
      if (pass != &throughput_) {
        go_on(*pass, part_of(pass->bounds, visits_, visits_to_a_cell));
      } else if (visits_ == visits_to_a_cell) {
        go_on(*pass, pass->bounds);
      }
    }
    begin_.reset();
    end_.reset();
  }

  void finish() {
    GRAPHBENCH_ASSERT(visits_ == visits_to_a_cell);
    append(launch_.submit_samples, submit_ns_.seconds());
    append(launch_.latency_samples, latency_ns_.seconds());
    append(launch_.latency_started_ns, latency_ns_.started_ns());
    append(launch_.device_samples, device_ns_.seconds());
    append(launch_.device_started_ns, device_ns_.started_ns());
    launch_.latency_stopped_by = latency_.stopped_by;
    launch_.device_stopped_by = device_.stopped_by;
    launch_.throughput_stopped_by = throughput_.stopped_by;
    launch_.submit_seconds = statistics::summarize(launch_.submit_samples);
    launch_.latency_seconds = statistics::summarize(launch_.latency_samples);
    launch_.device_seconds = statistics::summarize(launch_.device_samples);
    if (steps_ > 0 && elapsed_ns_ > 0) {
      launch_.throughput_steps_per_second =
          static_cast<double>(steps_) / (static_cast<double>(elapsed_ns_) * 1e-9);
    }
  }

 private:
  void settle() {
    const auto start = Clock::now();
    for (std::int64_t i = 0; i < settling_steps; ++i) {
      step_->executor.submit();
      step_->stream.synchronize();
      if (std::chrono::duration<double>(Clock::now() - start).count() > settling_seconds_max) return;
    }
  }

  // All steps over all time: the best round would be a lucky one, and the first has to fill the pipeline.
  void count_throughput(benchmark::State& state) {
    const std::int64_t round_ns = throughput_loop<Clock>(state, *step_);
    const auto round_steps = static_cast<std::int64_t>(state.max_iterations);
    if (round_steps == 1) return;  // one step is a latency, not a throughput
    steps_ += round_steps;
    elapsed_ns_ += round_ns;
    seconds_a_step_.push_back(static_cast<double>(round_ns) * 1e-9 / static_cast<double>(round_steps));
  }

  model::Launch& launch_;
  std::mt19937_64 generator_;
  // Of the visit under way.
  const StepUnderTest* step_ = nullptr;
  std::unique_ptr<Event> begin_;
  std::unique_ptr<Event> end_;
  Pass latency_;
  Pass device_;
  Pass throughput_;
  std::array<Pass*, 3> order_{&latency_, &device_, &throughput_};
  SampleBuffer submit_ns_;
  SampleBuffer latency_ns_;
  SampleBuffer device_ns_;
  std::vector<double> seconds_a_step_;
  std::int64_t steps_ = 0;
  std::int64_t elapsed_ns_ = 0;
  std::int64_t visits_ = 0;
};

CellPasses::CellPasses(const std::string& cell_id, const model::SamplingBounds& bounds,
                       std::uint64_t order_seed, model::Launch& launch)
    : implementation_(std::make_unique<Implementation>(cell_id, bounds, order_seed, launch)) {}

CellPasses::~CellPasses() = default;

void CellPasses::visit(const StepUnderTest& step, Device& device, CacheFlush* cache) {
  implementation_->visit(step, device, cache);
}

void CellPasses::finish() {
  implementation_->finish();
}

}  // namespace graphbench::measure
