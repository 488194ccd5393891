// Where a step's activations lie in the memory of its graphs: segments, and in them a place for each value.
#pragma once

#include <cstdint>
#include <vector>

namespace graphbench::ir {

struct AddressPlan {
  struct Place {
    std::int64_t value = 0;
    std::int64_t segment = 0;
    std::int64_t offset = 0;  // bytes
  };
  std::vector<std::int64_t> segments;  // sizes in bytes
  std::vector<Place> places;           // in the order in which a step needs them
};

}  // namespace graphbench::ir
