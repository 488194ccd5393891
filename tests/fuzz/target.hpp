// What every target shares: it is given bytes, and ends the program where it does not hold what it promises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"

namespace graphbench::fuzz {

// Each target's own.
void hold(std::string_view text);

// Not assert(): it must hold in every build.
inline void expect(bool held) {
  if (!held) std::abort();
}

inline bool is_one_line(std::string_view text) {
  return !text.empty() && text.find('\n') == std::string_view::npos;
}

}  // namespace graphbench::fuzz
