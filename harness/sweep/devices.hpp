// A sweep over several devices: a process, and a document, for each.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/options/options.hpp"

namespace graphbench::cli {

// The devices that --device names, if it names several or `all`; empty if it names one, or none. Throws
// InputError for options that several devices cannot have; Error if `all` finds none.
std::vector<std::string> several_devices(const config::RawOptions& raw);

// Runs `sweep`, which returns an exit code, in a child process for each device, with {device} in the options
// replaced by its name: one after the other, or together where --concurrent is given. Stops where one was
// interrupted. Returns the worst exit code.
int sweep_devices(const config::RawOptions& raw, const std::vector<std::string>& devices,
                  const std::function<int(const config::RawOptions& raw)>& sweep);

// Whether --concurrent is given.
bool are_concurrent(const config::RawOptions& raw);

// This process, and its children, use only the CPUs of `device`, where that is a share of the host.
void stay_on_share(const std::string& device);

}  // namespace graphbench::cli
