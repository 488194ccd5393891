// Sample entries for the cache's tests.
#pragma once

#include <string>
#include <vector>

#include "graphs/device/cache/entry.hpp"

namespace graphbench::cache {

inline Key choice_key(const std::string& shape = "8x1024 bf16") {
  return {{"linear", shape, "GPU", "driver 1, CUDA 2", "graphbench 1"}};
}

inline std::vector<Entry> sample_entries() {
  return {{choice_key(), 0.125, "algorithm 66"},
          {choice_key("64x64 fp16"), 1.5, std::string("\x7f\0\n\n", 4)},
          {{{"", "", "", "", ""}}, 0, ""}};
}

}  // namespace graphbench::cache
