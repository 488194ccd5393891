// The probe process, `graphbench --probe [PARENT]`, which graphbench starts for itself, and its messages. It
// opens devices and loads plugins, because both may crash the process. If it crashes or hangs, the error of
// ask_probe() names its last stage.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "graphs/abi/plugin.hpp"
#include "graphs/base/process/process_supervisor.hpp"
#include "graphs/device/device.hpp"
#include "harness/model/plan.hpp"
#include "harness/options/options.hpp"
#include "harness/sweep/plan/workload_choice.hpp"

namespace graphbench::sweep {

struct ProbeRequest {
  bool list_devices = false;
  std::string device = {};  // the device to open and describe; empty: none
  std::vector<std::string> plugins = {};
  bool list_workloads = false;
  // Programs to build once, to find mistakes before a sweep starts. Workload, preset, dtype, pass, later
  // axes, options, split_ops and batches of a task decide its program; mode and warmup also decide its text.
  std::vector<model::WorkerTask> programs = {};
  bool dump = false;  // true: also writes each program as text, at its first batch
};

// The probe reports each stage before it begins. If the probe dies, its last stage was the cause.
struct ProbeStage {
  enum class What : std::uint8_t { device, plugin, program, interpreter } what = What::device;
  std::string subject;  // the device, the plugin's path or the workload
};

// Why the probe cannot answer a request. `bad_input`: the user's mistake, not this machine's limit.
struct ProbeFailure {
  ProbeStage stage;
  bool bad_input = true;
  bool bad_split = false;  // a program was built, but a split pattern matches no op
  std::string message;
};

struct ProbeAnswer {
  std::vector<DeviceStatus> devices;
  Catalog catalog;
  std::vector<std::string> dumps;
  std::vector<std::string> notes;  // notes on programs without an op for a split
};

using ProbeEvent = std::variant<ProbeStage, ProbeFailure, ProbeAnswer>;

struct ProbeSettings {
  std::vector<std::string> command;  // process::own_command("--probe")
  double silent_seconds_max = 120;
};

// Returns the probe's answer. Throws InputError for a user's mistake, with the option's place from `options`,
// Error for something that this machine lacks, and process::Interrupted if the user interrupts.
ProbeAnswer ask_probe(process::ProcessSupervisor& supervisor, const ProbeSettings& settings,
                      const ProbeRequest& request, const options::SweepOptions& options);

// Reads a ProbeRequest from stdin, and sends ProbeEvents on file descriptor 3. `parent`: the parent's process
// id, or "" (process::die_with_parent). `lent`: with --torch, the user's step, which this Python process
// passes in memory; null otherwise.
int probe_main(std::string_view parent, const abi::LentPlugin* lent = nullptr);

}  // namespace graphbench::sweep
