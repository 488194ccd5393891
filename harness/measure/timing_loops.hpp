// The loops that time steps, the buffers of their samples, and the flush of the cache before a step. Memory
// for samples is allocated before a loop. Between the clock reads of a sample, a loop does not allocate, log
// or lock. The clock is a template parameter, so that tests can use their own clock without cost.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/base/error.hpp"
#include "graphs/device/device.hpp"
#include "graphs/execution/executor.hpp"
#include "harness/measure/ranks/rank.hpp"

namespace graphbench::measure {

// Samples of one quantity, in memory that is allocated before the first sample.
class DurationBuffer {
 public:
  explicit DurationBuffer(std::size_t capacity) : elapsed_ns_(capacity) {}

  void push(std::int64_t elapsed_ns) {
    GRAPHBENCH_ASSERT(count_ < elapsed_ns_.size());
    elapsed_ns_[count_++] = elapsed_ns;
  }

  std::size_t size() const noexcept { return count_; }

  std::vector<double> seconds(std::size_t first = 0) const {
    std::vector<double> converted;
    converted.reserve(count_ - first);
    for (std::size_t i = first; i < count_; ++i)
      converted.push_back(static_cast<double>(elapsed_ns_[i]) * 1e-9);
    return converted;
  }

 private:
  std::vector<std::int64_t> elapsed_ns_;
  std::size_t count_ = 0;
};

// Also stores when each step began, on the same clock.
class SampleBuffer : public DurationBuffer {
 public:
  explicit SampleBuffer(std::size_t capacity) : DurationBuffer(capacity), started_ns_(capacity) {}

  void push(std::int64_t started_ns, std::int64_t elapsed_ns) {
    DurationBuffer::push(elapsed_ns);
    started_ns_[size() - 1] = started_ns;
  }

  std::vector<std::int64_t> started_ns() const {
    return {started_ns_.begin(), started_ns_.begin() + static_cast<std::ptrdiff_t>(size())};
  }

 private:
  std::vector<std::int64_t> started_ns_;
};

// Empties the device's last-level cache: writes as many bytes as the cache holds.
class CacheFlush {
 public:
  // The most bytes to write on the host device. A CPU may share a cache of hundreds of megabytes with other
  // virtual machines, and writing that much between steps would take longer than the steps.
  static constexpr std::size_t host_bytes_max = std::size_t{64} << 20;

  static std::size_t bytes_for(const Device& device) {
    const std::size_t bytes = device.cache_bytes();
    if (bytes == 0) {
      throw Error(ErrorCode::unsupported,
                  "flush the last-level cache: this device does not report the size of that cache");
    }
    return device.info().kind == "host" ? std::min(bytes, host_bytes_max) : bytes;
  }

  CacheFlush(Device& device, Stream& stream)
      : stream_(stream), memory_(device, bytes_for(device), MemoryKind::harness) {}

  // Call this outside of timed regions. The stream must be idle before the call, and is idle afterwards.
  void run() {
    stream_.fill_bytes(memory_.data(), ++byte_ & 0x7f, memory_.bytes());
    stream_.synchronize();
  }

 private:
  Stream& stream_;
  Buffer memory_;
  int byte_ = 0;
};

// The step to time. A loop submits the step to `stream`, and then waits until the stream is idle.
struct StepUnderTest {
  execution::Executor& executor;
  Stream& stream;
  CacheFlush* flush = nullptr;        // run before each step, untimed; null: caches stay warm
  Rank rank = {};                     // makes all ranks begin a step at once
  GroupTimes* group_times = nullptr;  // gets the times of latency_loop(); null: not kept

  // Before each step that is timed by itself, outside of its clocks: small state is put back, then the cache
  // emptied.
  void make_ready() const {
    if (executor.restores()) {
      executor.restore();
      stream.synchronize();
    }
    if (flush != nullptr) flush->run();
    rank.begin_step();
  }
};

template <typename Clock>
std::int64_t nanoseconds_between(typename Clock::time_point start, typename Clock::time_point end) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count();
}

template <typename Clock>
std::int64_t nanoseconds_since_epoch(typename Clock::time_point time) {
  return nanoseconds_between<Clock>(typename Clock::time_point{}, time);
}

// Times one step. Submit is the time from start to the return of the last enqueue. Latency is the time from
// start to completion on the host; nothing is subtracted from it. The stream is idle before and after.
// submit() of a captured step launches its graphs and does not allocate; with --io update or recapture it
// also records graphs. combine() changes nothing for one rank; in a group of ranks it replaces the times by
// the group's, from the first start to the last end. Returns the latency in nanoseconds.
template <typename Clock>
std::int64_t time_step(const StepUnderTest& step, DurationBuffer& submit_ns, SampleBuffer& latency_ns) {
  const auto start = Clock::now();
  step.executor.submit();
  const auto submitted = Clock::now();
  step.stream.synchronize();
  const auto completed = Clock::now();
  std::int64_t started_ns = nanoseconds_since_epoch<Clock>(start);
  std::int64_t latency = nanoseconds_between<Clock>(start, completed);
  std::int64_t submit = nanoseconds_between<Clock>(start, submitted);
  step.rank.combine(started_ns, submit, latency, step.group_times);
  submit_ns.push(submit);
  latency_ns.push(started_ns, latency);
  return latency;
}

// Returns the time in ns of `submit`, which may include a look-up. The stream is idle before and after.
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
    step.make_ready();
    time_step<Clock>(step, submit_ns, latency_ns);
  }
}

// Times each step between two events on the device. Device time has a separate pass, because events disturb
// submit and latency. On NVIDIA GPUs the resolution of events is about half a microsecond. The stream is idle
// before and after.
template <typename Clock>
void device_loop(std::int64_t steps, const StepUnderTest& step, Event& begin, Event& end,
                 SampleBuffer& device_ns) {
  for (std::int64_t i = 0; i < steps; ++i) {
    step.make_ready();
    const auto start = Clock::now();
    begin.record(step.stream);
    step.executor.submit();
    end.record(step.stream);
    step.stream.synchronize();
    const double seconds = step.rank.largest(end.seconds_since(begin));
    device_ns.push(nanoseconds_since_epoch<Clock>(start), std::llround(seconds * 1e9));
  }
}

// Runs all steps back to back with one wait at the end. Small state is put back between two steps, which
// takes Launch::restore_seconds. Returns the total time in nanoseconds.
template <typename Clock>
std::int64_t throughput_loop(std::int64_t steps, const StepUnderTest& step) {
  step.rank.begin_step();
  const auto start = Clock::now();
  if (step.executor.restores()) {
    for (std::int64_t i = 0; i < steps; ++i) {
      step.executor.restore();
      step.executor.submit();
    }
  } else {
    for (std::int64_t i = 0; i < steps; ++i) step.executor.submit();
  }
  step.stream.synchronize();
  return nanoseconds_between<Clock>(start, Clock::now());
}

}  // namespace graphbench::measure
