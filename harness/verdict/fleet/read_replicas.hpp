// A folder of replicas to tables of times. Two documents are in memory at a time, and of each a number a cell
// and time remains.
#pragma once

#include <string>
#include <vector>

#include "harness/verdict/fleet/replicas.hpp"

namespace graphbench::fleet {

// Result documents of one plan, method and kind of device, each of one device. `allow`: differences, as
// compare's --allow names them. Throws InputError, which names the first file in the order given that is
// damaged, differs from the first file, is part of a plan or of several devices, or is there twice.
Replicas read_replicas(const std::vector<std::string>& files, const std::vector<std::string>& allow);

}  // namespace graphbench::fleet
