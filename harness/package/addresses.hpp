// Where the activations of a package's steps lie in their graphs' memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/ir/address_plan.hpp"
#include "harness/package/manifest.hpp"

namespace graphbench::package {

struct PlannedAddresses {
  std::string method;  // its name
  std::int64_t batch = 0;
  ir::AddressPlan plan;
};

std::string write_addresses(const std::vector<PlannedAddresses>& addresses);
// Accepts exactly what write_addresses() gives of methods and batches of the manifest. Whether a plan is one
// of its step shows when that is prepared. Throws Error(invalid_argument), which names the field.
std::vector<PlannedAddresses> read_addresses(std::string_view text, const Manifest& manifest);

}  // namespace graphbench::package
