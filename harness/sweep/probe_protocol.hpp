// The messages between graphbench and its probe process. The probe opens devices and loads plugins so that
// neither can take the command line's own process down.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "graphs/abi/plugin.hpp"
#include "graphs/device/device.hpp"
#include "harness/model/plan.hpp"
#include "harness/sweep/plan/catalog.hpp"

namespace graphbench::sweep {

struct ProbeRequest {
  bool list_devices = false;
  std::string device;  // opened and described; empty: none
  std::vector<std::string> plugins;
  bool list_workloads = false;
  // Programs to build once, to find mistakes before a sweep starts. A task's workload, preset, dtype, pass,
  // later axes, options, split_ops and batches decide its program; to write it, mode and warmup too.
  std::vector<model::WorkerTask> programs;
  bool dump = false;  // writes each program as text too, at its first batch
};

// The probe's next action, reported before it begins: if the probe dies, this was the cause.
struct ProbeStage {
  enum class What : std::uint8_t { device, plugin, program, interpreter } what = What::device;
  std::string subject;  // the device, the plugin's path or the workload
};

// A request that cannot be met. `bad_input`: the person's mistake, else this machine's.
struct ProbeFailure {
  ProbeStage stage;
  bool bad_input = true;
  bool bad_split = false;  // a program built, but has no op to split at
  std::string message;
};

struct ProbeAnswer {
  std::vector<DeviceStatus> devices;
  plan::Catalog catalog;
  std::vector<std::string> dumps;  // the text of each program, if asked for
  std::vector<std::string> notes;  // notes on programs that lack a kind to split at
};

using ProbeEvent = std::variant<ProbeStage, ProbeFailure, ProbeAnswer>;

// Decoding throws Error(invalid_argument).
std::string encode_request(const ProbeRequest& request);
ProbeRequest decode_request(std::string_view text);
std::string encode_probe_event(const ProbeEvent& event);
ProbeEvent decode_probe_event(std::string_view line);

}  // namespace graphbench::sweep
