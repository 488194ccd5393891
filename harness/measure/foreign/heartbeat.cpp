// Reads the CPU time of a process and its descendants at regular intervals.
#include "harness/measure/foreign/heartbeat.hpp"

#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace graphbench::foreign {
namespace {

struct Process {
  std::int64_t parent = 0;
  std::int64_t ticks = 0;
};

// Reads fields 4 and 14 to 17 of /proc/PID/stat. Fields 16 and 17 count the CPU time of ended children.
Process read_stat(const std::filesystem::path& folder) {
  std::ifstream file(folder / "stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  Process process;
  fields >> skipped >> process.parent;
  for (int field = 5; field < 14; ++field) fields >> skipped;
  for (int field = 14; field <= 17; ++field) {
    std::int64_t ticks = 0;
    fields >> ticks;
    process.ticks += ticks;
  }
  return process;
}

std::int64_t ticks_below(const std::multimap<std::int64_t, std::pair<std::int64_t, std::int64_t>>& children,
                         std::int64_t parent) {
  std::int64_t ticks = 0;
  const auto [first, last] = children.equal_range(parent);
  for (auto child = first; child != last; ++child)
    ticks += child->second.second + ticks_below(children, child->second.first);
  return ticks;
}

// To subtract: reading /proc takes time too if there are many processes.
std::int64_t ticks_of_this_thread() {
  timespec time{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return 0;
  const std::int64_t ticks_per_second = sysconf(_SC_CLK_TCK);
  return time.tv_sec * ticks_per_second + time.tv_nsec * ticks_per_second / 1'000'000'000;
}

}  // namespace

std::int64_t ticks_of_process_tree() {
  std::multimap<std::int64_t, std::pair<std::int64_t, std::int64_t>> children;  // by parent: pid, ticks
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const Process process = read_stat(entry.path());
    children.emplace(process.parent, std::pair(std::stoll(name), process.ticks));
  }
  return read_stat("/proc/self").ticks + ticks_below(children, getpid());
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
