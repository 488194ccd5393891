// Starts child processes with posix_spawn, because code after a fork() is unsafe in a process with threads
// and CUDA libraries.
#include "graphs/base/process/child_io.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <mutex>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>

#include "graphs/base/error.hpp"

extern char** environ;

namespace graphbench::process {
namespace {

[[noreturn]] void fail(const std::string& operation, int error = errno) {
  throw Error(ErrorCode::io, operation + ": " + std::strerror(error));
}

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("make a pipe to a child process");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// Puts the input into memory before the child starts, so that no later write can block or fail.
Descriptor memory_file(const std::string& input) {
  Descriptor file(memfd_create("graphbench-input", MFD_CLOEXEC));
  if (file.get() < 0) fail("make the input of a child process");
  if (!write_all(file.get(), input).empty()) fail("write the input of a child process");
  if (lseek(file.get(), 0, SEEK_SET) != 0) fail("rewind the input of a child process");
  return file;
}

// exec() does not write to the texts, although its parameter is not const.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Children do not get variables from which Google Benchmark takes flags: BENCHMARK_REPETITIONS=3 would run
// each round three times.
constexpr std::string_view flags_of_google_benchmark = "BENCHMARK_";

std::vector<char*> variables_with(const std::vector<std::string>& extra) {
  std::vector<char*> variables = pointers_to(extra);
  variables.pop_back();
  for (char** own = environ; *own != nullptr; ++own) {
    const std::string_view name = std::string_view(*own).substr(0, std::string_view(*own).find('=') + 1);
    const bool replaced = std::any_of(extra.begin(), extra.end(), [&](const std::string& each) {
      return !name.empty() && each.starts_with(name);
    });
    if (!replaced && !name.starts_with(flags_of_google_benchmark)) variables.push_back(*own);
  }
  variables.push_back(nullptr);
  return variables;
}

constexpr int reset_signals[] = {SIGINT, SIGTERM, SIGPIPE, SIGCHLD, SIGHUP, SIGXFSZ};

class SpawnSettings {
 public:
  SpawnSettings() {
    check(posix_spawn_file_actions_init(&actions_));
    check(posix_spawnattr_init(&attributes_));
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  // A worker must not inherit the sockets of a metrics server.
  void close_all_above(int descriptor) {
    check(posix_spawn_file_actions_addclosefrom_np(&actions_, descriptor + 1));
  }

  void connect(int from, int to) { check(posix_spawn_file_actions_adddup2(&actions_, from, to)); }

  void own_group_and_default_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    check(posix_spawnattr_setsigmask(&attributes_, &signals));
    for (const int signal : reset_signals) sigaddset(&signals, signal);
    check(posix_spawnattr_setsigdefault(&attributes_, &signals));
    check(posix_spawnattr_setpgroup(&attributes_, 0));
    check(posix_spawnattr_setflags(&attributes_,
                                   POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK));
  }

  pid_t start(const std::vector<std::string>& argv, const std::vector<std::string>& environment) {
    std::vector<char*> arguments = pointers_to(argv);
    std::vector<char*> variables = variables_with(environment);
    pid_t pid = -1;
    const int error =
        posix_spawn(&pid, argv.front().c_str(), &actions_, &attributes_, arguments.data(), variables.data());
    if (error != 0) fail("start " + argv.front(), error);
    return pid;
  }

 private:
  static void check(int error) {
    if (error != 0) fail("prepare a child process", error);
  }

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// The process ids of all children except adopted orphans. `known_mutex` protects the set.
std::mutex known_mutex;
std::set<pid_t> known_children;

std::set<pid_t> own_children() {
  std::set<pid_t> children;
  for (const ProcessStat& process : read_processes()) {
    if (process.parent == getpid()) children.insert(process.pid);
  }
  return children;
}

void send_line_on(int descriptor, std::string_view line) {
  std::string text(line);
  text += '\n';
  if (!write_all(descriptor, text).empty()) fail("send an event on descriptor " + std::to_string(descriptor));
}

[[noreturn]] void run_fork(const ForkedWork& work, pid_t parent, int events) {
  setpgid(0, 0);
  for (const int signal : reset_signals) std::signal(signal, SIG_DFL);
  sigset_t signals;
  sigemptyset(&signals);
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  int code = 1;
  try {
    if (die_with_parent(std::to_string(parent)))
      code = work([&](std::string_view line) { send_line_on(events, line); });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graphbench: %s\n", error.what());
  }
  std::fflush(nullptr);
  _exit(code);
}

bool has_children() {
  siginfo_t unused{};
  return waitid(P_ALL, 0, &unused, WEXITED | WNOHANG | WNOWAIT) == 0;
}

}  // namespace

// A line of /proc/PID/stat is "PID (NAME) STATE PARENT ...". NAME may contain ')', so the last ')' ends it.
// Fields 14 to 17 are CPU times; fields 16 and 17 are the times of ended children.
std::vector<ProcessStat> read_processes() {
  std::vector<ProcessStat> processes;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), behind; entry != behind;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string stat = read_whole_file(entry->path() / "stat", 4096).text;
    std::istringstream fields(stat.substr(stat.rfind(')') + 1));
    ProcessStat& process = processes.emplace_back(ProcessStat{.pid = std::stoi(name)});
    std::string skipped;
    fields >> skipped >> process.parent;
    for (int field = 5; field < 14; ++field) fields >> skipped;
    for (std::int64_t field = 14, ticks = 0; field <= 17 && fields >> ticks; ++field) process.ticks += ticks;
  }
  return processes;
}

void adopt_orphans() {
  const std::scoped_lock lock(known_mutex);
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) fail("become the parent of processes whose own parent ended");
  if (has_children()) known_children.merge(own_children());
}

// Kills orphans in rounds, because a killed orphan may leave children of its own. Orphans that hang in the
// kernel can outlive the last round.
void end_orphans() noexcept {
  constexpr int rounds_max = 200;
  const std::scoped_lock lock(known_mutex);
  for (int round = 0; round < rounds_max && has_children(); ++round) {
    const std::set<pid_t> children = own_children();
    std::erase_if(known_children, [&](pid_t child) { return !children.contains(child); });
    if (children.size() == known_children.size()) return;
    for (const pid_t child : children) {
      if (known_children.contains(child)) continue;
      ::kill(child, SIGKILL);
      waitpid(child, nullptr, WNOHANG);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

bool die_with_parent(std::string_view parent) {
  if (parent.empty()) return true;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail("request a signal when the parent process ends");
  // If the parent died before this prctl() call, the kernel sends no signal.
  return std::to_string(getppid()) == parent;
}

std::string read_request() {
  std::string text;
  char chunk[65536];
  while (true) {
    const ssize_t got = read(STDIN_FILENO, chunk, sizeof chunk);
    if (got == 0) return text;
    if (got > 0) {
      text.append(chunk, static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      fail("read the request from stdin");
    }
  }
}

void claim_event_descriptor() {
  if (fcntl(event_descriptor, F_SETFD, FD_CLOEXEC) != 0) fail("reserve descriptor 3 for events");
}

int child_main(const char* name, std::string_view parent,
               const std::function<int(const std::string& request)>& answer) {
  try {
    if (!die_with_parent(parent)) return 1;
    claim_event_descriptor();
    return answer(read_request());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graphbench %s: %s\n", name, error.what());
    return 1;
  }
}

void send_line(std::string_view line) {
  send_line_on(event_descriptor, line);
}

SpawnedChild spawn(const std::vector<std::string>& argv, const std::string& input,
                   const std::vector<std::string>& environment) {
  const Descriptor request = memory_file(input);
  Pipe output = make_pipe();
  Pipe events = make_pipe();
  SpawnSettings settings;
  settings.connect(request.get(), STDIN_FILENO);
  settings.connect(output.write_end.get(), STDOUT_FILENO);
  settings.connect(output.write_end.get(), STDERR_FILENO);
  // This call comes last, because it overwrites descriptor 3, which may be one of the descriptors above.
  settings.connect(events.write_end.get(), event_descriptor);
  settings.close_all_above(event_descriptor);
  settings.own_group_and_default_signals();
  SpawnedChild child;
  {
    const std::scoped_lock lock(known_mutex);
    child.pid = settings.start(argv, environment);
    known_children.insert(child.pid);
  }
  child.events = std::move(events.read_end);
  child.output = std::move(output.read_end);
  return child;
}

SpawnedChild fork_child(const ForkedWork& work) {
  Pipe events = make_pipe();
  std::fflush(nullptr);  // else the child would print the buffered text again
  const pid_t parent = getpid();
  SpawnedChild child;
  {
    const std::scoped_lock lock(known_mutex);
    child.pid = fork();
    if (child.pid == 0) run_fork(work, parent, events.write_end.get());
    if (child.pid < 0) fail("start a process");
    setpgid(child.pid,
            child.pid);  // here too, because a signal to the group may come before the child's call
    known_children.insert(child.pid);
  }
  child.events = std::move(events.read_end);
  return child;
}

}  // namespace graphbench::process
