// The workloads, devices and options that the machine and the plugins offer, as the probe process found them.
#pragma once

#include <string>
#include <vector>

#include "graphs/abi/plugin.hpp"
#include "harness/model/result.hpp"

namespace graphbench::plan {

struct Catalog {
  std::string device;  // "cuda:0", "host": what workers open
  model::DeviceFacts facts{};
  std::vector<std::string> dtypes;           // what the device supports
  std::vector<abi::WorkloadInfo> workloads;  // built in first, then by plugin
};

}  // namespace graphbench::plan
