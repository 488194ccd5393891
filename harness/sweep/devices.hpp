// Sweeps over several devices, with one process and one document per device.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graphs/device/device.hpp"
#include "harness/options/options.hpp"

namespace graphbench::sweep {

// The devices of --device if the option lists several or is `all`; otherwise empty. Throws InputError for
// options that do not work with several devices, and Error if `all` finds no device.
std::vector<std::string> several_devices(const options::RawOptions& raw);

// Runs `sweep` in one child process per device, whose name replaces {device} in the options: one by one
// until one is interrupted or, with --concurrent, together. Returns the worst of their exit codes.
int sweep_devices(const options::RawOptions& raw, const std::vector<std::string>& devices,
                  const std::function<int(const options::RawOptions& raw)>& sweep);

// Throws InputError if `device` is `auto` and these devices, which a probe found earlier, leave none to take
// for it.
void check_auto(const std::string& device, const std::vector<DeviceStatus>& devices);

// If `device` is a share of the host, restricts this process and its children to the CPUs of that share.
void stay_on_share(const std::string& device);

}  // namespace graphbench::sweep
