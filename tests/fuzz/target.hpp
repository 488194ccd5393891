// What all targets share. A target's hold() receives bytes, and aborts the program if a promise is broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"

namespace graphbench::fuzz {

void hold(std::string_view text);

// Replaces assert(), which release builds leave out.
inline void expect(bool held) {
  if (!held) std::abort();
}

inline bool is_one_line(std::string_view text) {
  return !text.empty() && text.find('\n') == std::string_view::npos;
}

}  // namespace graphbench::fuzz
