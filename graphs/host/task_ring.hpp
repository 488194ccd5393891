// The queue between the submitting thread and the stream's thread: a bounded ring with one producer and one
// consumer. Tasks are copied into fixed slots, so submitting never allocates. A waiting thread first spins,
// because a wake-up takes longer than a short wait, and then sleeps.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>

namespace graphbench::host {

inline void relax_cpu() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// One thread sleeps here until another thread wakes it.
//
// The sleeper sets its flag, then rechecks the condition. The waker changes its data, then checks the flag.
// All four accesses are sequentially consistent, so no wake-up is lost. (After a release store, notify_one()
// can lose a wake-up: it may read its own count of waiters before the store is visible.)
class Parking {
 public:
  // `ready` must read the waker's data with sequential consistency.
  template <typename Ready>
  void wait(const Ready& ready, std::chrono::microseconds spin_time) {
    if (ready()) return;
    if (spin_until(ready, spin_time)) return;
    for (;;) {
      asleep_.store(1);
      if (ready()) break;
      asleep_.wait(1);
    }
    asleep_.store(0);
  }

  bool occupied() const noexcept { return asleep_.load() != 0; }

  void wake() noexcept {
    if (asleep_.exchange(0) != 0) asleep_.notify_one();
  }

 private:
  static constexpr std::chrono::microseconds yields_after{10};

  template <typename Ready>
  static bool spin_until(const Ready& ready, std::chrono::microseconds spin_time) {
    if (spin_time.count() == 0) return false;
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
      for (int i = 0; i < 32; ++i) {
        if (ready()) return true;
        relax_cpu();
      }
      const auto waited = std::chrono::steady_clock::now() - start;
      if (waited >= spin_time) break;
      // Yielding costs nothing on an idle core, and gives the core to another thread that needs it.
      if (waited >= yields_after) std::this_thread::yield();
    }
    return false;
  }

  std::atomic<std::uint32_t> asleep_{0};
};

struct StreamContext;

// One unit of work, four cache lines large. `run` interprets `object` and `words`.
struct Task {
  using Run = void (*)(Task& task, StreamContext& context);
  static constexpr std::size_t words_max = 30;

  Run run = nullptr;
  void* object = nullptr;
  std::array<void*, words_max> words;  // words that the task does not need are undefined

  template <typename Payload>
  Payload payload() const {
    Payload payload;
    std::memcpy(static_cast<void*>(&payload), words.data(), sizeof(payload));
    return payload;
  }
};
static_assert(sizeof(Task) == 256);

// Thread-safe for exactly one producer thread and one consumer thread.
class TaskRing {
 public:
  static constexpr std::size_t capacity = 1024;

  struct SpinTimes {
    std::chrono::microseconds consumer{0};
    std::chrono::microseconds producer{0};
  };
  explicit TaskRing(SpinTimes spin);

  // For the producer. claim() waits while the ring is full, and returns the slot to fill before publish().
  // wait_idle_asleep() does not spin. No task may be published after close().
  Task& claim();
  void publish() noexcept;
  void wait_idle();
  void wait_idle_asleep();
  void close() noexcept;

  // For the consumer. next() returns null once the ring is closed and empty. After complete() the slot may be
  // reused.
  Task* next();
  void complete() noexcept;

 private:
  void wait_completed(std::uint64_t target, std::chrono::microseconds spin);

  const SpinTimes spin_;
  std::unique_ptr<Task[]> slots_;
  // The producer's and the consumer's variables are on different cache lines. `seen_...`: the last value of
  // the other thread's counter that this thread read.
  alignas(64) std::atomic<std::uint64_t> published_{0};
  std::atomic<bool> closed_{false};
  std::uint64_t seen_completed_ = 0;
  alignas(64) std::atomic<std::uint64_t> completed_{0};
  std::uint64_t seen_published_ = 0;
  alignas(64) Parking consumer_;
  alignas(64) Parking producer_;
  std::atomic<std::uint64_t> producer_target_{0};  // completed tasks that a sleeping producer waits for
};

}  // namespace graphbench::host
