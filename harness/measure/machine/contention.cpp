// The arithmetic that is timed. Its result goes through a volatile, so that no compiler leaves it out.
#include "harness/measure/machine/contention.hpp"

#include <array>
#include <chrono>
#include <cstdint>

#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::machine {
namespace {

constexpr std::uint64_t turns = 20'000;
volatile std::uint64_t memory_of_results = 1;

void compute() {
  std::uint64_t a = memory_of_results;
  std::uint64_t b = a + 1;
  std::uint64_t c = a + 2;
  std::uint64_t d = a + 3;
  std::uint64_t e = a + 5;
  std::uint64_t f = a + 7;
  for (std::uint64_t i = 0; i < turns; ++i) {
    a = a * 3 + 1;
    b ^= b << 1U;
    c += d;
    d = (d >> 1U) + e;
    e ^= f;
    f += i;
  }
  memory_of_results = a + b + c + d + e + f;
}

}  // namespace

double arithmetic_seconds() {
  using Clock = std::chrono::steady_clock;
  std::array<double, 5> seconds{};
  for (double& each : seconds) {
    const auto start = Clock::now();
    compute();
    each = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return statistics::median({seconds.begin(), seconds.end()});
}

}  // namespace graphbench::machine
