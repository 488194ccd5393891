// The queue between the thread that submits and the thread that runs: a bounded ring with one
// producer and one consumer. Tasks are copied into fixed slots, so submitting never allocates.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "graphs/host/parking.hpp"

namespace graphbench::host {

struct StreamContext;  // what the stream's thread gives a task to run with

// One unit of work, four cache lines large. `run` interprets `object` and `words`.
struct Task {
  using Run = void (*)(Task& task, StreamContext& context);
  static constexpr std::size_t words_max = 30;

  Run run = nullptr;
  void* object = nullptr;
  std::array<void*, words_max> words;  // left as it is where a task needs none

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

  // How long a wait spins before it sleeps.
  struct SpinTimes {
    std::chrono::microseconds consumer{0};
    std::chrono::microseconds producer{0};
  };
  explicit TaskRing(SpinTimes spin);

  // Producer. The next slot, to be filled in place; waits while the ring is full.
  Task& claim();
  // Producer. Hands the claimed slot over.
  void publish() noexcept;
  // Producer. Waits until every published task has completed.
  void wait_idle();
  // Producer. The same without spinning: the thread sleeps at once.
  void wait_idle_asleep();
  // Producer. No task follows.
  void close() noexcept;

  // Consumer. The next task, or null once the ring is closed and empty.
  Task* next();
  // Consumer. The task returned last is done; its slot may be reused.
  void complete() noexcept;

 private:
  void wait_completed(std::uint64_t target, std::chrono::microseconds spin);

  const SpinTimes spin_;
  std::unique_ptr<Task[]> slots_;
  // Producer's and consumer's words stand on cache lines of their own.
  alignas(64) std::atomic<std::uint64_t> published_{0};
  std::atomic<bool> closed_{false};
  std::uint64_t seen_completed_ = 0;  // producer's last look at completed_
  alignas(64) std::atomic<std::uint64_t> completed_{0};
  std::uint64_t seen_published_ = 0;  // consumer's last look at published_
  alignas(64) Parking consumer_;
  alignas(64) Parking producer_;
  std::atomic<std::uint64_t> producer_target_{0};  // what a sleeping producer waits for
};

}  // namespace graphbench::host
