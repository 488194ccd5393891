// Reads the CPU time of a process and its descendants at regular intervals.
#include "harness/measure/foreign/heartbeat.hpp"

#include <unistd.h>

#include <chrono>
#include <ctime>
#include <vector>

#include "graphs/base/process/child_io.hpp"

namespace graphbench::foreign {
namespace {

std::int64_t ticks_of(const std::vector<process::ProcessStat>& processes, pid_t root) {
  std::int64_t ticks = 0;
  for (const process::ProcessStat& each : processes) {
    if (each.pid == root) ticks += each.ticks;
    if (each.parent == root) ticks += ticks_of(processes, each.pid);
  }
  return ticks;
}

// The CPU ticks of this thread, which run() subtracts: reading /proc takes long if there are many processes.
std::int64_t ticks_of_this_thread() {
  timespec time{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return 0;
  const std::int64_t ticks_per_second = sysconf(_SC_CLK_TCK);
  return time.tv_sec * ticks_per_second + time.tv_nsec * ticks_per_second / 1'000'000'000;
}

}  // namespace

std::int64_t ticks_of_process_tree() {
  return ticks_of(process::read_processes(), getpid());
}

Heartbeat::Heartbeat(std::function<void()> beat, double seconds, int beats_max)
    : thread_([this, beat = std::move(beat), seconds, beats_max] {
        try {
          run(beat, seconds, beats_max);
        } catch (const std::exception&) {  // without beats the parent's timeout ends the worker
        }
      }) {}

Heartbeat::~Heartbeat() {
  {
    const std::scoped_lock lock(mutex_);
    over_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void Heartbeat::run(const std::function<void()>& beat, double seconds, int beats_max) {
  const auto least = static_cast<std::int64_t>(0.1 * seconds * static_cast<double>(sysconf(_SC_CLK_TCK)));
  std::unique_lock lock(mutex_);
  const auto ticks_of_others = [] { return ticks_of_process_tree() - ticks_of_this_thread(); };
  std::int64_t before = ticks_of_others();
  for (int beats = 0; beats < beats_max; ++beats) {
    if (ended_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return over_; })) return;
    const std::int64_t now = ticks_of_others();
    if (now - before >= least) beat();
    before = now;
  }
}

}  // namespace graphbench::foreign
