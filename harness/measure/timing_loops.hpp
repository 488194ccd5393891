// The timing loops themselves: everything between two clock reads of graphbench is in this file.
//
// Before a loop all memory for the samples is there; inside it nothing allocates, logs, locks or looks
// anything up. The clock is a template parameter, so that tests can drive the loops with a clock of their own
// at no cost here.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>

#include "graphs/device/device.hpp"
#include "graphs/execution/executor.hpp"
#include "harness/measure/cache_flush.hpp"
#include "harness/measure/sample_buffer.hpp"

namespace graphbench::measure {

// The step that a loop times: submitted to and waited for on one idle stream.
struct StepUnderTest {
  execution::Executor& executor;
  Stream& stream;
  CacheFlush* flush = nullptr;  // run before each timed step, outside of its time; null: caches stay warm
};

template <typename Clock>
std::int64_t nanoseconds_between(typename Clock::time_point start, typename Clock::time_point end) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count();
}

template <typename Clock>
std::int64_t nanoseconds_since_epoch(typename Clock::time_point time) {
  return nanoseconds_between<Clock>(typename Clock::time_point{}, time);
}

// One step: submit is start to the last enqueue's return, latency is start to completion as the host
// sees it. The stream is idle before and after. Returns the latency.
template <typename Clock>
std::int64_t time_step(const StepUnderTest& step, DurationBuffer& submit_ns, SampleBuffer& latency_ns) {
  const auto start = Clock::now();
  step.executor.submit();
  const auto submitted = Clock::now();
  step.stream.synchronize();
  const auto completed = Clock::now();
  const std::int64_t started_ns = nanoseconds_since_epoch<Clock>(start);
  const std::int64_t latency = nanoseconds_between<Clock>(start, completed);
  submit_ns.push(nanoseconds_between<Clock>(start, submitted));
  latency_ns.push(started_ns, latency);
  return latency;
}

// Host time of `submit` alone, by which a step may also be looked up. The stream is idle before and after.
template <typename Clock, typename Submit>
std::int64_t time_submit(Stream& stream, Submit&& submit) {
  const auto start = Clock::now();
  submit();
  const auto submitted = Clock::now();
  stream.synchronize();
  return nanoseconds_between<Clock>(start, submitted);
}

template <typename Clock>
void latency_loop(std::int64_t steps, const StepUnderTest& step, DurationBuffer& submit_ns,
                  SampleBuffer& latency_ns) {
  for (std::int64_t i = 0; i < steps; ++i) {
    if (step.flush != nullptr) step.flush->run();
    time_step<Clock>(step, submit_ns, latency_ns);
  }
}

// Event time around each step, on a stream that is idle before and after. Events perturb submit and latency,
// which is why this is a pass of its own. An event's resolution is the device's (about half a microsecond on
// NVIDIA GPUs).
template <typename Clock>
void device_loop(std::int64_t steps, const StepUnderTest& step, Event& begin, Event& end,
                 SampleBuffer& device_ns) {
  for (std::int64_t i = 0; i < steps; ++i) {
    if (step.flush != nullptr) step.flush->run();
    const auto start = Clock::now();
    begin.record(step.stream);
    step.executor.submit();
    end.record(step.stream);
    step.stream.synchronize();
    device_ns.push(nanoseconds_since_epoch<Clock>(start), std::llround(end.seconds_since(begin) * 1e9));
  }
}

// All steps back to back with one wait at the end. Returns their nanoseconds.
template <typename Clock>
std::int64_t throughput_loop(std::int64_t steps, const StepUnderTest& step) {
  const auto start = Clock::now();
  for (std::int64_t i = 0; i < steps; ++i) step.executor.submit();
  step.stream.synchronize();
  return nanoseconds_between<Clock>(start, Clock::now());
}

}  // namespace graphbench::measure
