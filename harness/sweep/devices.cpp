// Runs each device's sweep in a forked child with its own files and ports: a crash affects one device.
#include "harness/sweep/devices.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>

#include "graphs/base/error.hpp"
#include "graphs/base/process/process_supervisor.hpp"
#include "graphs/base/text.hpp"
#include "graphs/device/backend_module.hpp"
#include "graphs/host/cpu.hpp"
#include "harness/measure/machine/pinning.hpp"
#include "harness/options/command.hpp"
#include "harness/options/raw_options.hpp"
#include "harness/sweep/probe.hpp"

namespace graphbench::sweep {
namespace {

constexpr std::string_view device_placeholder = "{device}";
constexpr std::size_t devices_max = 1024;

// Options that name files. Without {device}, one device would overwrite another's file.
constexpr std::array<const char*, 6> own_to_each = {"json",  "samples",    "report",
                                                    "trace", "dump-graph", "prometheus-textfile"};

std::vector<std::string> all_devices() {
  process::ProcessSupervisor supervisor;
  const ProbeAnswer answer = ask_probe(supervisor, {process::own_command(options::probe_role)},
                                       {.list_devices = true}, options::SweepOptions());
  std::vector<std::string> cuda;
  std::vector<std::string> host;
  std::vector<std::string> broken;
  for (const DeviceStatus& status : answer.devices) {
    if (status.available) (status.id.starts_with("host") ? host : cuda).push_back(status.id);
    if (!status.available && !status.absent)
      broken.push_back(status.id + " cannot be used: " + status.detail + " (" + status.advice);
  }
  if (cuda.empty() && !broken.empty())
    throw Error(ErrorCode::unsupported, "--device all: " + broken.front() + "; or give --device host)");
  for (const std::string& each : broken) complain("note: --device all: %s)", each.c_str());
  if (cuda.empty() && host.size() > 1) std::erase(host, "host");
  if (cuda.empty() && host.empty())
    throw Error(ErrorCode::unsupported,
                "--device all: no device is available: graphbench list devices says why");
  return cuda.empty() ? host : cuda;
}

void check_own_to_each(const options::RawOptions& raw) {
  const std::string advice = "several devices would overwrite the same file: put {device} into its name";
  if (options::find(raw, "json") == nullptr)
    throw InputError("--json", advice + ", such as --json graphbench-{device}.json");
  for (const char* name : own_to_each) {
    const auto* items = options::find(raw, name);
    if (items != nullptr && items->back().text.find(device_placeholder) == std::string::npos)
      throw InputError(items->back().where, in_quotes(items->back().text) + ": " + advice);
  }
  const auto* push = options::find(raw, "prometheus-push");
  const auto* grouping = options::find(raw, "push-grouping");
  if (push != nullptr &&
      (grouping == nullptr ||
       join(*grouping, ",", &options::RawItem::text).find(device_placeholder) == std::string::npos)) {
    throw InputError(
        push->back().where,
        "several devices would replace each other's metrics: give --push-grouping device={device} too");
  }
  const auto* listen = options::find(raw, "prometheus-listen");
  if (listen != nullptr && options::flag(raw, "concurrent"))
    throw InputError(listen->back().where,
                     "devices that are measured together cannot share a port: leave the option out");
}

std::string file_word(std::string device) {
  std::ranges::replace(device, ':', '-');
  return device;
}

options::RawOptions options_of(const options::RawOptions& raw, const std::string& device) {
  options::RawOptions own = options::replaced(raw, device_placeholder, file_word(device));
  own["device"] = {{device, raw.at("device").back().where}};
  return own;
}

int worse(int one, int other) {
  constexpr std::array<int, 5> worst_first = {model::exit_interrupted, model::exit_error,
                                              model::exit_bad_input, model::exit_cells_failed,
                                              model::exit_done};
  return *std::ranges::find_if(worst_first, [&](int code) { return code == one || code == other; });
}

// Blocks the signals of an interruption and forwards them to the children: `kill`, unlike Ctrl-C, signals
// only the parent.
class Children {
 public:
  Children() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGCHLD);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction action {};
      ::sigaction(signal, nullptr, &action);
      if (action.sa_handler != SIG_IGN) sigaddset(&signals_, signal);
    }
    sigprocmask(SIG_BLOCK, &signals_, &before_);
  }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

  void start(const std::function<int()>& work) {
    std::fflush(nullptr);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) throw Error(ErrorCode::io, "start a process for a device");
    if (child == 0) {
      sigprocmask(SIG_SETMASK, &before_, nullptr);
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // SIGTERM lets the child save its measurements
      const int code = ::getppid() == parent ? options::guarded(work) : model::exit_interrupted;
      std::fflush(nullptr);
      ::_exit(code);
    }
    running_.push_back(child);
  }

  // Waits for the running children. Returns the worst exit code of all children.
  int wait() {
    while (!running_.empty()) {
      const int signal = sigwaitinfo(&signals_, nullptr);
      for (const pid_t child : running_) {
        if (signal != SIGCHLD && signal > 0) ::kill(child, signal);
      }
      std::erase_if(running_, [&](pid_t child) {
        int status = 0;
        if (::waitpid(child, &status, WNOHANG) != child) return false;
        code_ = worse(code_, WIFEXITED(status) ? WEXITSTATUS(status) : model::exit_error);
        return true;
      });
    }
    return code_;
  }

 private:
  sigset_t signals_{};
  sigset_t before_{};
  std::vector<pid_t> running_;
  int code_ = model::exit_done;
};

}  // namespace

std::vector<std::string> several_devices(const options::RawOptions& raw) {
  const auto* items = options::find(raw, "device");
  const bool several =
      items != nullptr && (items->back().text == "all" || items->back().text.find(',') != std::string::npos);
  if (!several) {
    if (options::flag(raw, "concurrent"))
      throw InputError(raw.at("concurrent").back().where,
                       "the option needs several devices: give --device cuda:0,cuda:1 or all");
    return {};
  }
  if (const auto* ranks = options::find(raw, "ranks"))
    throw InputError(ranks->back().where,
                     "ranks use several devices in one sweep, but each device of a list has its own sweep: "
                     "give only the device of rank 0, such as --device cuda:0");
  check_own_to_each(raw);
  const std::vector<std::string> devices =
      items->back().text == "all" ? all_devices() : options::words_of({items->back()}, "device");
  for (const std::string& device : devices) {
    if (device == "auto" || device == "cuda" || device == "all")
      throw InputError(items->back().where,
                       in_quotes(device) + " cannot be in a list of devices: give cuda:N");
    static_cast<void>(options::check_options(options_of(raw, device)));
  }
  if (devices.size() > devices_max)
    throw InputError(items->back().where,
                     "the list has too many devices: give at most " + std::to_string(devices_max));
  return devices;
}

int sweep_devices(const options::RawOptions& raw, const std::vector<std::string>& devices,
                  const std::function<int(const options::RawOptions& raw)>& sweep) {
  Children children_of_this;
  const bool together = options::flag(raw, "concurrent");
  if (together) {
    std::fprintf(stderr,
                 "graphbench: note: %zu devices are measured at the same time: they share CPU, power and "
                 "bus, so times differ from those of a single device\n",
                 devices.size());
  }
  for (const std::string& device : devices) {
    options::RawOptions own = options_of(raw, device);
    // Tables and progress lines of several devices would mix.
    if (together) own["quiet"] = {{"true", "--quiet"}};
    children_of_this.start([&] { return sweep(own); });
    if (!together && children_of_this.wait() == model::exit_interrupted) break;
  }
  return children_of_this.wait();
}

void check_auto(const std::string& device, const std::vector<DeviceStatus>& devices) {
  const DeviceStatus* const broken = device == "auto" ? broken_gpu(devices) : nullptr;
  if (broken != nullptr)
    throw InputError("device", "auto has no device: " + broken->id + " cannot be used: " + broken->detail +
                                   " (" + broken->advice + "; or give host)");
}

void stay_on_share(const std::string& device) {
  const std::optional<int> share = host::share_of(device);
  if (!share) return;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (const int cpu : host::cpus_of(*share, measure::allowed_cpus()))
    CPU_SET(static_cast<std::size_t>(cpu), &cpus);
  if (::sched_setaffinity(0, sizeof cpus, &cpus) != 0)
    throw Error(ErrorCode::io, "stay on the CPUs of " + device);
}

}  // namespace graphbench::sweep
