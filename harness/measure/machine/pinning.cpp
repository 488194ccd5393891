// Sets the CPU affinity of threads through the scheduler's calls, and measures whether a core is shared.
#include "harness/measure/machine/pinning.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "graphs/base/clock.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/measure/machine/cpu_choice.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::measure {
namespace {

[[noreturn]] void refuse_cpu(int cpu, const std::string& why) {
  throw Error(ErrorCode::io, "pin the submitting thread to CPU " + std::to_string(cpu) + ": " + why +
                                 "; with --no-pin, the system chooses the CPU");
}

[[noreturn]] void refuse_gone(int cpu) {
  refuse_cpu(cpu, "this process may no longer run on that CPU");
}

// Returns false if the process may no longer use these CPUs (offline, or removed from its control group).
bool try_run_on(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (sched_setaffinity(0, sizeof set, &set) == 0) return true;
  if (errno == EINVAL) return false;
  refuse_cpu(cpus.front(), std::strerror(errno));
}

}  // namespace

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    throw Error(ErrorCode::io, std::string("read this process's CPUs: ") + std::strerror(errno));
  }
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

std::vector<int> submitter_cpus(const model::InstrumentOptions& options, const std::vector<int>& allowed) {
  if (!options.pin || allowed.empty()) return {};
  if (!options.cpu) {
    const auto chosen = options.submitter ? options.submitter : choose_submitter(options, allowed, "");
    return {chosen->cpus.begin(), chosen->cpus.end()};
  }
  if (contains(allowed, *options.cpu)) return {static_cast<int>(*options.cpu)};
  throw Error(ErrorCode::invalid_argument,
              "\"" + std::to_string(*options.cpu) +
                  "\" is not a CPU that this process may run on: give one of " +
                  join(allowed, ", ", [](int cpu) { return std::to_string(cpu); }));
}

SubmitterPin::SubmitterPin(const model::InstrumentOptions& options, std::vector<int> allowed, bool roams,
                           Probe probe)
    : allowed_(std::move(allowed)),
      candidates_(submitter_cpus(options, allowed_)),
      probe_(std::move(probe)),
      quietest_seconds_(std::numeric_limits<double>::infinity()) {
  if (!roams && candidates_.size() > 1) candidates_ = {candidates_.back()};
}

void SubmitterPin::keep_others_off() const {
  if (candidates_.empty() || candidates_.size() == allowed_.size()) return;
  std::vector<int> others = allowed_;
  std::erase_if(others, [&](int cpu) { return contains(candidates_, cpu); });
  if (!try_run_on(others)) refuse_gone(others.front());
}

std::optional<double> SubmitterPin::probe_on(int cpu) {
  if (!try_run_on({cpu})) return std::nullopt;
  cpu_ = cpu;
  const double seconds = probe_();
  quietest_seconds_ = std::min(quietest_seconds_, seconds);
  return seconds;
}

// Only a comparison shows which CPU is quiet, so all candidates are probed first.
void SubmitterPin::take() {
  if (candidates_.empty()) return;
  std::vector<std::pair<double, int>> cpus;
  for (auto cpu = candidates_.rbegin(); cpu != candidates_.rend(); ++cpu) {
    if (const std::optional<double> seconds = probe_on(*cpu)) cpus.emplace_back(*seconds, *cpu);
  }
  if (cpus.empty()) refuse_gone(candidates_.back());
  const auto quiet = std::ranges::find_if(
      cpus, [&](const auto& each) { return each.first <= disturbed * quietest_seconds_; });
  cpu_ = quiet != cpus.end() ? quiet->second : std::ranges::min_element(cpus)->second;
  if (!try_run_on({*cpu_})) refuse_gone(*cpu_);
}

std::optional<double> SubmitterPin::hold() {
  if (!cpu_) return std::nullopt;
  std::optional<double> seconds = probe_on(*cpu_);
  if (!seconds || (*seconds > disturbed * quietest_seconds_ && candidates_.size() > 1)) {
    take();
    seconds = probe_on(*cpu_);
    if (!seconds) refuse_gone(*cpu_);
  }
  return *seconds / quietest_seconds_;
}

namespace {

constexpr std::uint64_t turns = 20'000;
// A volatile result keeps the compiler from removing the timed arithmetic.
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
  std::array<double, 5> seconds{};
  for (double& each : seconds) {
    const Stopwatch watch;
    compute();
    each = watch.seconds();
  }
  return model::median({seconds.begin(), seconds.end()});
}

}  // namespace graphbench::measure
