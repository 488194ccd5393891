// The workloads, devices and options of this machine and its plugins, as the probe process found them.
#pragma once

#include <string>
#include <vector>

#include "graphs/abi/plugin.hpp"
#include "harness/model/result.hpp"

namespace graphbench::plan {

struct Catalog {
  std::string device;  // the name with which workers open the device: "cuda:0", "host"
  model::DeviceFacts facts{};
  std::vector<std::string> dtypes;
  std::vector<abi::WorkloadInfo> workloads;  // built-in workloads first, then by plugin
};

}  // namespace graphbench::plan
