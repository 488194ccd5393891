// How a thread of the host device waits for the other one: it spins for a while, then sleeps in the kernel.
// A short spin costs less than falling asleep and waking up.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace graphbench::host {

inline void relax_cpu() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Where one thread sleeps until another wakes it.
//
// The sleeper announces itself, then looks once more; the waker publishes, then looks for a sleeper.
// With both sequentially consistent one of them sees the other, so no wake-up is lost. (The waiter
// count inside std::atomic::notify_one does not give that for a release store ahead of it.)
class Parking {
 public:
  // Returns once `ready()` is true. `ready` must read with sequential consistency what the waker wrote.
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
      // Costs nothing on an idle core, and leaves it to another thread that needs it.
      if (waited >= yields_after) std::this_thread::yield();
    }
    return false;
  }

  std::atomic<std::uint32_t> asleep_{0};
};

}  // namespace graphbench::host
