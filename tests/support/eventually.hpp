// Waits for another thread or process, for half a minute at most, so that a test fails and does not hang.
#pragma once

#include <chrono>
#include <thread>

namespace graphbench::test {

template <typename Condition>
bool eventually(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace graphbench::test
