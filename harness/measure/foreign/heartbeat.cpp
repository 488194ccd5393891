// Reads the CPU time of a process and its descendants at regular intervals.
#include "harness/measure/foreign/heartbeat.hpp"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <stop_token>
#include <vector>

#include "graphs/base/process/child_io.hpp"

namespace graphbench::measure {
namespace {

std::int64_t ticks_of(const std::vector<process::ProcessStat>& processes, pid_t root) {
  std::int64_t ticks = 0;
  for (const process::ProcessStat& each : processes) {
    if (each.pid == root) ticks += each.ticks;
    if (each.parent == root) ticks += ticks_of(processes, each.pid);
  }
  return ticks;
}

// The CPU ticks of this thread, which watch_others() subtracts: reading /proc takes long if there are many
// processes.
std::int64_t ticks_of_this_thread() {
  timespec time{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return 0;
  const std::int64_t ticks_per_second = sysconf(_SC_CLK_TCK);
  return time.tv_sec * ticks_per_second + time.tv_nsec * ticks_per_second / 1'000'000'000;
}

void watch_others(const std::stop_token& stop, const std::function<void()>& beat, double seconds,
                  int beats_max) {
  const auto least = static_cast<std::int64_t>(0.1 * seconds * static_cast<double>(sysconf(_SC_CLK_TCK)));
  std::mutex mutex;
  std::condition_variable_any ended;
  std::unique_lock lock(mutex);
  const auto ticks_of_others = [] { return ticks_of_process_tree() - ticks_of_this_thread(); };
  std::int64_t before = ticks_of_others();
  for (int beats = 0; beats < beats_max; ++beats) {
    ended.wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
    if (stop.stop_requested()) return;
    const std::int64_t now = ticks_of_others();
    if (now - before >= least) beat();
    before = now;
  }
}

}  // namespace

std::int64_t ticks_of_process_tree() {
  return ticks_of(process::read_processes(), getpid());
}

Heartbeat::Heartbeat(std::function<void()> beat, double seconds, int beats_max)
    : thread_([beat = std::move(beat), seconds, beats_max](const std::stop_token& stop) {
        try {
          watch_others(stop, beat, seconds, beats_max);
        } catch (const std::exception&) {  // without beats the parent's timeout ends the worker
        }
      }) {}

}  // namespace graphbench::measure
