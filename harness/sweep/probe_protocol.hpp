// The messages between graphbench and its probe process. The probe opens devices and loads plugins, because
// both may crash the process.
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
  plan::Catalog catalog;
  std::vector<std::string> dumps;
  std::vector<std::string> notes;  // notes on programs without an op for a split
};

using ProbeEvent = std::variant<ProbeStage, ProbeFailure, ProbeAnswer>;

// decode_request() and decode_probe_event() throw Error(invalid_argument) for invalid text.
std::string encode_request(const ProbeRequest& request);
ProbeRequest decode_request(std::string_view text);
std::string encode_probe_event(const ProbeEvent& event);
ProbeEvent decode_probe_event(std::string_view line);

}  // namespace graphbench::sweep
