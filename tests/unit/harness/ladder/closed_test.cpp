// Tests batches of requests against a simulation of its own, which knows events and no steps.
#include "harness/ladder/closed.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <queue>

#include "tests/support/refusal.hpp"

namespace graphbench::ladder {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Steps = std::function<double(std::int64_t)>;

// An independent simulation: arrivals and ends of steps are events in a queue, and each request counts its
// own tokens. Starts with `present` requests. Returns the mean batch over the time in which steps run, and
// the batches.
struct Simulation {
  std::vector<Request> requests;
  Steps step;
  double prefill = 0;
  std::size_t most = 1'000'000;
  std::size_t present = 0;

  std::vector<std::int64_t> batches = {};
  double mean = 0;

  void run(std::size_t steps) {
    enum class What { arrival, end };
    using Event = std::pair<double, What>;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
    for (const Request& each : requests) events.emplace(each.arrival, What::arrival);
    std::queue<std::int64_t> waiting;
    std::vector<std::int64_t> left;
    for (std::size_t i = 0; i < present; ++i)
      left.push_back(1 + static_cast<std::int64_t>(i) % requests[0].tokens);
    std::size_t arrived = 0;
    bool running = false;
    double busy = 0, weighted = 0;
    if (present > 0) events.emplace(0, What::end);
    running = present > 0;
    std::vector<std::int64_t> now_served;
    while (!events.empty() && batches.size() < steps) {
      double now = events.top().first;
      if (events.top().second == What::arrival) {
        waiting.push(requests[arrived++].tokens);
      } else {
        for (std::int64_t& each : left) --each;
        std::erase_if(left, [](std::int64_t each) { return each <= 0; });
        running = false;
      }
      events.pop();
      if (running || (!events.empty() && events.top().first == now)) continue;
      while (!waiting.empty() && left.size() < most) {
        left.push_back(waiting.front());
        waiting.pop();
        now += prefill;
        for (; !events.empty() && events.top().first <= now; events.pop())
          waiting.push(requests[arrived++].tokens);
      }
      if (left.empty()) continue;
      const double seconds = step(std::ssize(left));
      batches.push_back(std::ssize(left));
      if (batches.size() > steps / 4) {
        busy += seconds;
        weighted += seconds * static_cast<double>(left.size());
      }
      events.emplace(now + seconds, What::end);
      running = true;
    }
    mean = weighted / busy;
  }
};

std::vector<Request> poisson(double rate, std::int64_t tokens, std::int64_t steps) {
  Traffic traffic;
  traffic.request_rate = rate;
  traffic.request_tokens = tokens;
  return make_requests(traffic, steps, 300, 7);
}

Admission admission_of(const Steps& step, std::int64_t most, double prefill = 0) {
  return {.step_seconds = [step](std::int64_t batch) { return step(batch); },
          .prefill_seconds = prefill,
          .most = most};
}

double stairs(std::int64_t batch) {
  return 1e-3 + 1e-4 * std::ceil(static_cast<double>(batch) / 16);
}

TEST(Closed, BatchesAreThoseOfTheSimulation) {
  for (const double rate : {2.0, 40.0, 400.0}) {
    for (const double prefill : {0.0, 1.5e-3}) {
      for (const std::int64_t most : {4, 64}) {
        const auto requests = poisson(rate, 30, 3000);
        Simulation simulated{requests, stairs, prefill, static_cast<std::size_t>(most)};
        simulated.run(3000);
        EXPECT_EQ(batches_of(requests, admission_of(stairs, most, prefill), 3000), simulated.batches)
            << rate << " " << prefill << " " << most;
      }
    }
  }
}

TEST(Closed, FixedPointsAreWhereTheSimulationStaysFromEmptyAndFromFull) {
  // Graphs up to 64; eager beyond takes so much longer that a large batch never shrinks.
  const Steps step = [](std::int64_t batch) {
    return batch <= 64 ? 1e-3 : 3.2e-3 + 2e-6 * static_cast<double>(batch);
  };
  const double rate = 150, tokens = 200;
  const FixedPoints found = fixed_points(rate, tokens, admission_of(step, 300));
  ASSERT_EQ(found.stable.size(), 2u);
  EXPECT_FALSE(found.grows);
  for (const bool full : {false, true}) {
    Simulation simulated{poisson(rate, 200, 40'000), step, 0, 300, full ? 300u : 0u};
    simulated.run(40'000);
    const ClosedPoint& point = found.stable[full ? 1 : 0];
    EXPECT_THAT(simulated.mean, DoubleNear(point.batch, 0.07 * point.batch)) << full;
    EXPECT_DOUBLE_EQ(point.step_seconds, step(std::llround(std::ceil(point.batch))));
  }
}

TEST(Closed, PrefillLeavesLessTimeToDecode) {
  const Steps step = [](std::int64_t) { return 1e-3; };
  const FixedPoints without = fixed_points(100, 100, admission_of(step, 300));
  const FixedPoints with = fixed_points(100, 100, admission_of(step, 300, 6e-3));
  EXPECT_DOUBLE_EQ(without.stable.at(0).batch, 10);
  EXPECT_DOUBLE_EQ(with.stable.at(0).batch, 25);
  Simulation simulated{poisson(100, 100, 60'000), step, 6e-3, 300};
  simulated.run(60'000);
  EXPECT_THAT(simulated.mean, DoubleNear(25, 2));
  EXPECT_THAT(fixed_points(100, 100, admission_of(step, 300, 11e-3)).stable, IsEmpty());
}

MeasuredGroup measured_to(std::int64_t largest) {
  MeasuredGroup group;
  group.cell = {"gpt", "base", "bf16", "forward", 1, 3, "whole"};
  for (std::int64_t size = 1; size <= largest; size *= 2) {
    group.measured.step_seconds[size] = 1e-3;
    group.measured.eager[size] = 4e-3;
    group.sizes.push_back(size);
  }
  return group;
}

ClosedRequest random_requests(double rate, std::optional<std::int64_t> most = {}) {
  ClosedRequest request{.traffic = {}, .most = most};
  request.traffic.request_rate = rate;
  request.traffic.request_tokens = 100;
  request.steps = 2000;
  return request;
}

TEST(Closed, SaysForEachModeWhereBatchesSettleAndWhatIsNotKnown) {
  const auto said = [](double rate, std::optional<std::int64_t> most) {
    std::vector<std::string> sentences;
    for (const ClosedBatches& each : close({measured_to(64)}, random_requests(rate, most)))
      sentences.push_back(sentence_of(each.closed));
    return sentences;
  };
  EXPECT_THAT(said(100, 64),
              ElementsAre(HasSubstr("100 tokens each, decode only): batches of 10.0 from empty and "
                                    "from full, 1.00ms a step; 100 % of the steps"),
                          HasSubstr("batches of 40.0 from empty and from full, 4.00ms a step, "
                                    "eager.")));
  EXPECT_THAT(said(200, 64).at(1), HasSubstr("no fixed point: load above capacity, 64 requests at once"));
  EXPECT_THAT(said(200, std::nullopt).at(1), HasSubstr("no answer beyond 64, the largest measured size."));
  EXPECT_THAT(said(100, 128).at(0),
              HasSubstr("batches of 10.0 from empty, 1.00ms a step; from full no answer "
                        "beyond 64"));
  MeasuredGroup jumps = measured_to(64);
  jumps.sizes = {1, 2, 4, 8, 16};
  const std::vector<ClosedBatches> two = close({jumps}, random_requests(100, 64));
  EXPECT_THAT(sentence_of(two.at(0).closed),
              HasSubstr("batches of 10.0 from empty, 1.00ms a step; batches of "
                        "40.0 from full, 4.00ms a step, eager"));
  EXPECT_EQ(two.at(0).group, 0u);
  EXPECT_EQ(two.at(1).group, std::nullopt);
  EXPECT_THAT(close({measured_to(64)}, random_requests(200)).at(1).trace.rows, IsEmpty());
}

TEST(Closed, APrefillMayBeTheStepOfAnotherWorkload) {
  MeasuredGroup prefill = measured_to(1);
  prefill.cell.workload = "prefill";
  prefill.measured.step_seconds = {{1, 5e-3}};
  prefill.measured.eager = {{1, 6e-3}};
  ClosedRequest request = random_requests(100);
  request.prefill_workload = "prefill";
  const auto made = close({prefill, measured_to(64)}, request);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[0].closed.prefill_seconds, 5e-3);
  EXPECT_EQ(made[0].group, 1u);
  EXPECT_EQ(made[1].closed.prefill_seconds, 6e-3);
  EXPECT_DOUBLE_EQ(made[0].closed.points.at(0).batch, 20);
  EXPECT_THAT(sentence_of(made[0].closed), HasSubstr("5.00ms of prefill each"));
  request.prefill_workload = "other";
  EXPECT_THAT(test::refusal([&] { close({measured_to(64)}, request); }),
              HasSubstr("--prefill-seconds: \"other\" is neither"));
}

TEST(Closed, SentenceHasTheRateAsItIsAndTheNoteOfTheTraffic) {
  Closed rare;
  rare.rate = 0.3;
  rare.tokens = 2.5;
  rare.note = "times are read as seconds";
  EXPECT_THAT(sentence_of(rare), HasSubstr("(0.3 requests a second, 2.5 tokens each, "));
  EXPECT_THAT(sentence_of(rare), testing::EndsWith(". Of the traffic: times are read as seconds."));
}

}  // namespace
}  // namespace graphbench::ladder
