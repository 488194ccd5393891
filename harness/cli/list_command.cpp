// graphbench list: what this machine and the loaded plugins offer.
#include <cstdio>
#include <string>

#include "harness/cli/commands.hpp"
#include "harness/sweep/probe.hpp"

namespace graphbench::cli {
namespace {

constexpr double probe_silent_seconds_max = 120;

void heading(ListWhat asked, const char* title) {
  if (asked == ListWhat::everything) std::printf("%s\n", title);
}

// Two columns, indented where there is a heading above.
void row(ListWhat asked, const std::string& name, const std::string& text) {
  std::printf("%s%-12s %s\n", asked == ListWhat::everything ? "  " : "", name.c_str(), text.c_str());
}

std::string preset_text(const abi::WorkloadPreset& preset) {
  std::string text = preset.name + " (";
  for (const auto& [key, value] : preset.values) {
    text += (text.ends_with('(') ? "" : ", ") + key + "=" + std::to_string(value);
  }
  return text + ")";
}

void list_workloads(ListWhat asked, const sweep::ProbeAnswer& answer) {
  heading(asked, "workloads");
  for (const abi::WorkloadInfo& info : answer.workloads) {
    row(asked, info.name, info.help + (info.plugin == "builtin" ? "" : " [" + info.plugin + "]"));
    for (const abi::WorkloadOption& option : info.options) {
      row(asked, "",
          "--set " + info.name + "." + option.key + "=" + std::to_string(option.min) + ".." +
              std::to_string(option.max) + "  " + option.help);
    }
  }
}

void list_presets(ListWhat asked, const sweep::ProbeAnswer& answer) {
  heading(asked, "presets");
  for (const abi::WorkloadInfo& info : answer.workloads) {
    for (const abi::WorkloadPreset& preset : info.presets) row(asked, info.name, preset_text(preset));
  }
}

void list_devices(ListWhat asked, const sweep::ProbeAnswer& answer) {
  heading(asked, "devices");
  for (const DeviceStatus& device : answer.devices) {
    const std::string advice = device.advice.empty() ? "" : " (" + device.advice + ")";
    row(asked, device.id,
        device.available ? "available: " + device.detail : "unavailable: " + device.detail + advice);
  }
}

void list_modes(ListWhat asked) {
  heading(asked, "modes");
  row(asked, "eager", "every op is launched by the host");
  row(asked, "whole", "the step is captured as one graph");
  row(asked, "piecewise", "runs of ops between splitting ops are captured as pieces that share a pool");
}

}  // namespace

int list_command(const Arguments& arguments) {
  const ListWhat asked = arguments.list;
  const bool all = asked == ListWhat::everything;
  const config::SweepOptions options = config::check_options(arguments.options);
  sweep::ProbeRequest request;
  request.list_devices = all || asked == ListWhat::devices;
  request.list_workloads = all || asked == ListWhat::workloads || asked == ListWhat::presets;
  request.plugins = options.plugins;
  sweep::ProbeAnswer answer;
  if (asked != ListWhat::modes) {
    process::ProcessSupervisor supervisor;
    const sweep::ProbeSettings probe{process::own_command("--probe"), probe_silent_seconds_max};
    answer = sweep::ask_probe(supervisor, probe, request, options);
  }
  if (all || asked == ListWhat::workloads) list_workloads(asked, answer);
  if (all || asked == ListWhat::devices) list_devices(asked, answer);
  if (all || asked == ListWhat::modes) list_modes(asked);
  if (all || asked == ListWhat::presets) list_presets(asked, answer);
  return exit_done;
}

}  // namespace graphbench::cli
