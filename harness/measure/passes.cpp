// Divides a cell's time among its passes and runs them. Decides how many more samples a pass takes, from its
// samples so far and its bounds.
#include "harness/measure/passes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>

#include "graphs/base/clock.hpp"
#include "harness/model/statistics/moments.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/statistics/summary.hpp"

namespace graphbench::measure {
namespace {

// The shares of a cell's time. Latency decides verdicts, so its share is the largest. The time without a
// share is for the untimed first steps of each visit.
constexpr double latency_share = 0.32;
constexpr double device_share = 0.09;
constexpr double throughput_share = 0.07;

// The bounds of a pass in one placement. The launch's p50 is the geometric mean of the placements' medians,
// which are independent. So the half width of each median may be larger by the factor sqrt(placement_count).
PassBounds share_of(const model::SamplingBounds& bounds, double share, std::int64_t placement_count) {
  const auto count = static_cast<double>(placement_count);
  PassBounds pass;
  pass.seconds_max = bounds.seconds_max * share / count;
  pass.relative_half_width *= std::sqrt(count);
  pass.samples_max = std::max<std::int64_t>(bounds.samples_max / placement_count, 1);
  pass.samples_min = std::min(pass.samples_min, pass.samples_max);
  pass.samples_wanted =
      std::min((model::samples_for_p99 + placement_count - 1) / placement_count, pass.samples_max);
  return pass;
}

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

constexpr PassState nothing_yet{
    .samples = 0, .seconds = 0, .relative_half_width = std::numeric_limits<double>::infinity()};

// One of a cell's timing passes. The second visit of a placement (passes.hpp) continues the pass; a new
// placement clears `state` and `sorted`.
struct Pass {
  PassBounds bounds;
  std::function<std::vector<double>(std::int64_t steps)> round;
  PassState state = nothing_yet;
  std::vector<double> sorted = {};
  StoppedBy stopped_by = StoppedBy::precision;  // in this placement
  // the stop reason furthest from `precision` over all placements
  StoppedBy any_stopped_by = StoppedBy::precision;
};

// Runs rounds until the pass reaches a bound. Counts wall time, not sample time, because `seconds_max` limits
// how long the user waits.
void go_on(Pass& pass, const PassBounds& bounds, const Rank& rank) {
  const double seconds_before = pass.state.seconds;
  const Stopwatch watch;
  for (;;) {
    const std::optional<StoppedBy> bound = stop_of(bounds, pass.state);
    const std::int64_t steps = rank.decide(bound ? 0 : next_round(bounds, pass.state));
    if (steps == 0) {
      pass.stopped_by = bound.value_or(StoppedBy::time);  // `bound` is absent if only rank 0 reached one
      return;
    }
    std::vector<double> samples = pass.round(steps);
    pass.state.samples += steps;
    pass.state.seconds = seconds_before + watch.seconds();
    std::ranges::sort(samples);
    append(pass.sorted, samples);
    std::inplace_merge(pass.sorted.begin(), pass.sorted.end() - std::ssize(samples), pass.sorted.end());
    pass.state.relative_half_width = model::relative_half_width(pass.sorted);
  }
}

struct Samples {
  Samples(std::int64_t latency, std::int64_t device)
      : submit_ns(static_cast<std::size_t>(latency)),
        latency_ns(static_cast<std::size_t>(latency)),
        device_ns(static_cast<std::size_t>(device)) {}

  DurationBuffer submit_ns;
  SampleBuffer latency_ns;
  SampleBuffer device_ns;
  std::int64_t steps = 0;
  std::int64_t elapsed_ns = 0;
};

class Passes final : public CellPasses {
 public:
  Passes(const model::SamplingBounds& bounds, std::uint64_t order_seed, model::Launch& launch,
         std::int64_t placement_count)
      : launch_(launch),
        placements_(placement_count),
        generator_(order_seed),
        latency_{.bounds = share_of(bounds, latency_share, placement_count),
                 .round = [this](auto steps) { return latency_round(steps); }},
        device_{.bounds = share_of(bounds, device_share, placement_count),
                .round = [this](auto steps) { return device_round(steps); }},
        throughput_{.bounds = share_of(bounds, throughput_share, placement_count),
                    .round = [this](auto steps) { return throughput_round(steps); }},
        samples_(static_cast<std::size_t>(placement_count),
                 Samples(latency_.bounds.samples_max, device_.bounds.samples_max)) {}

  void visit(const StepUnderTest& step, Device& device, CacheFlush* cache) override {
    const std::int64_t visit = visits_++ % visits_in_a_placement + 1;
    if (visit == 1) begin_placement();
    step_ = &step;
    begin_ = device.make_event();
    end_ = device.make_event();
    if (cache != nullptr) cache->run();
    settle();
    std::ranges::shuffle(order_, generator_);
    const bool last = visit == visits_in_a_placement;
    for (Pass* pass : order_) {
      // Throughput needs many successive steps per round, so all of its time is in the last visit.
      if (pass == &throughput_ && !last) continue;
      go_on(*pass, part_of(pass->bounds, visit, visits_in_a_placement), step.rank);
      if (last) pass->any_stopped_by = std::max(pass->any_stopped_by, pass->stopped_by);
    }
    begin_.reset();
    end_.reset();
  }

  void finish() override {
    GRAPHBENCH_ASSERT(visits_ == placements_ * visits_in_a_placement);
    std::vector<std::vector<double>> submit;
    std::vector<std::vector<double>> latency;
    std::vector<std::vector<double>> device;
    std::vector<double> rates;
    // Returns the median.
    const auto take = [](const auto& buffer, auto& all, std::vector<double>& samples) {
      append(samples, all.emplace_back(buffer.seconds()));
      return model::median_or_absent(all.back());
    };
    for (const Samples& each : samples_) {
      model::LaunchPlacement& placement = launch_.placements.emplace_back();
      placement.latency_samples = static_cast<std::int64_t>(each.latency_ns.size());
      placement.device_samples = static_cast<std::int64_t>(each.device_ns.size());
      placement.submit_seconds = take(each.submit_ns, submit, launch_.submit_samples);
      placement.latency_seconds = take(each.latency_ns, latency, launch_.latency_samples);
      placement.device_seconds = take(each.device_ns, device, launch_.device_samples);
      if (each.steps > 0 && each.elapsed_ns > 0) {
        rates.push_back(static_cast<double>(each.steps) / (static_cast<double>(each.elapsed_ns) * 1e-9));
        placement.throughput_steps_per_second = rates.back();
      }
      append(launch_.latency_started_ns, each.latency_ns.started_ns());
      append(launch_.device_started_ns, each.device_ns.started_ns());
    }
    launch_.latency_stopped_by = name_of(latency_.any_stopped_by);
    launch_.device_stopped_by = name_of(device_.any_stopped_by);
    launch_.throughput_stopped_by = name_of(throughput_.any_stopped_by);
    launch_.submit_seconds = model::summarize_placements(submit);
    launch_.latency_seconds = model::summarize_placements(latency);
    launch_.device_seconds = model::summarize_placements(device);
    if (!times_.skew_seconds.empty())
      launch_.ranks = {.skew_seconds = model::summarize_placements({times_.skew_seconds}),
                       .submit_seconds = {}};
    for (const std::vector<double>& each : times_.submit_seconds)
      launch_.ranks->submit_seconds.push_back(model::median(each));
    launch_.restore_seconds = model::median_or_absent(restores_);
    if (!rates.empty()) launch_.throughput_steps_per_second = model::geometric_mean(rates);
  }

 private:
  void begin_placement() {
    now_ = &samples_.at(static_cast<std::size_t>((visits_ - 1) / visits_in_a_placement));
    for (Pass* pass : order_) {
      pass->state = nothing_yet;
      pass->sorted.clear();
    }
  }

  void settle() {
    const Stopwatch watch;
    for (std::int64_t i = 0; i < settling_steps; ++i) {
      if (step_->executor.restores()) step_->executor.restore();
      step_->executor.submit();
      step_->stream.synchronize();
      if (step_->rank.decide(watch.seconds() > settling_seconds_max ? 1 : 0) != 0) return;
    }
  }

  std::vector<double> latency_round(std::int64_t steps) {
    const std::size_t before = now_->latency_ns.size();
    StepUnderTest step = *step_;
    step.group_times = &times_;
    latency_loop<SteadyClock>(steps, step, now_->submit_ns, now_->latency_ns);
    return now_->latency_ns.seconds(before);
  }

  std::vector<double> device_round(std::int64_t steps) {
    const std::size_t before = now_->device_ns.size();
    device_loop<SteadyClock>(steps, *step_, *begin_, *end_, now_->device_ns);
    return now_->device_ns.seconds(before);
  }

  // Adds up steps and time over all rounds, because the best round could be a lucky one. A short round is
  // slower, because each round first fills the pipeline, but it counts less in the sum.
  std::vector<double> throughput_round(std::int64_t steps) {
    const auto own_ns = static_cast<double>(throughput_loop<SteadyClock>(steps, *step_));
    const std::int64_t elapsed_ns = std::llround(step_->rank.largest(own_ns));
    if (steps == 1) return {};  // one step is a latency, not a throughput
    if (step_->executor.restores()) restores_.push_back(restore_seconds());
    now_->steps += steps;
    now_->elapsed_ns += elapsed_ns;
    return {static_cast<double>(elapsed_ns) * 1e-9 / static_cast<double>(steps)};
  }

  // The time of putting state back once, back to back as between the steps of a throughput round.
  double restore_seconds() const {
    constexpr int times = 32;
    const Stopwatch watch;
    for (int i = 0; i < times; ++i) step_->executor.restore();
    step_->stream.synchronize();
    return watch.seconds() / times;
  }

  model::Launch& launch_;
  const std::int64_t placements_;
  std::vector<double> restores_;  // one per throughput round
  std::mt19937_64 generator_;
  const StepUnderTest* step_ = nullptr;
  std::unique_ptr<Event> begin_;
  std::unique_ptr<Event> end_;
  Pass latency_;
  Pass device_;
  Pass throughput_;
  std::array<Pass*, 3> order_{&latency_, &device_, &throughput_};
  std::vector<Samples> samples_;  // one per placement
  GroupTimes times_;              // without the ramp
  Samples* now_ = nullptr;        // of the current placement
  std::int64_t visits_ = 0;
};

}  // namespace

std::string_view name_of(StoppedBy bound) noexcept {
  switch (bound) {
    case StoppedBy::precision:
      return "precision";
    case StoppedBy::time:
      return "time";
    case StoppedBy::samples:
      return "samples";
  }
  return "unknown";
}

PassBounds part_of(const PassBounds& bounds, std::int64_t visit, std::int64_t visits) {
  const auto due = [&](std::int64_t samples) { return (samples * visit + visits - 1) / visits; };
  return {.seconds_max = bounds.seconds_max * static_cast<double>(visit) / static_cast<double>(visits),
          .relative_half_width = bounds.relative_half_width,
          .samples_min = due(bounds.samples_min),
          .samples_wanted = due(bounds.samples_wanted),
          .samples_max = due(bounds.samples_max)};
}

std::optional<StoppedBy> stop_of(const PassBounds& bounds, const PassState& state) {
  if (state.samples >= bounds.samples_wanted && state.relative_half_width <= bounds.relative_half_width) {
    return StoppedBy::precision;
  }
  if (state.samples >= bounds.samples_max) return StoppedBy::samples;
  if (state.seconds >= bounds.seconds_max && state.samples >= bounds.samples_min) return StoppedBy::time;
  return std::nullopt;
}

std::int64_t next_round(const PassBounds& bounds, const PassState& state) {
  const std::int64_t left = bounds.samples_max - state.samples;
  if (state.samples == 0) return 1;
  if (state.seconds >= bounds.seconds_max)
    return std::clamp<std::int64_t>(bounds.samples_min - state.samples, 1, left);
  const double seconds_each = std::max(state.seconds / static_cast<double>(state.samples), 1e-9);
  const double affordable = std::min(std::ceil((bounds.seconds_max - state.seconds) / seconds_each), 1e9);
  std::int64_t growth = std::max<std::int64_t>(state.samples, bounds.samples_min);
  if (state.samples < bounds.samples_wanted) growth = std::min(growth, bounds.samples_wanted - state.samples);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(affordable), 1, std::min(left, growth));
}

void measure_ramp(const StepUnderTest& step, const model::SamplingBounds& bounds, model::Launch& launch) {
  const std::int64_t steps = std::clamp<std::int64_t>(bounds.samples_max, 1, model::ramp_samples);
  DurationBuffer submit_ns(static_cast<std::size_t>(steps));
  SampleBuffer latency_ns(static_cast<std::size_t>(steps));
  latency_loop<SteadyClock>(steps, step, submit_ns, latency_ns);
  append(launch.submit_samples, submit_ns.seconds());
  append(launch.latency_samples, latency_ns.seconds());
  append(launch.latency_started_ns, latency_ns.started_ns());
  launch.setup.first_step_seconds = launch.latency_samples.front();
}

std::unique_ptr<CellPasses> make_cell_passes(const model::SamplingBounds& bounds, std::uint64_t order_seed,
                                             model::Launch& launch, std::int64_t placement_count) {
  return std::make_unique<Passes>(bounds, order_seed, launch, placement_count);
}

}  // namespace graphbench::measure
