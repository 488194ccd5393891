// What `graphbench canary` measures, and its document, `graphbench.canary/1`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::canary {

struct FloorRow {
  std::string_view name;
  std::string_view label;
  std::string_view unit;     // "seconds", "bytes"
  double margin_min = 0.05;  // smaller changes do not matter, or are below the resolution of the memory
  bool is_one_call = false;  // a sample times one call, whose resolution is the clock's
};
const std::vector<FloorRow>& floor_rows();

// How a floor of NEW differs from BASE's.
struct Change {
  double ratio;    // NEW / BASE: the median over all pairs of processes
  double low;      // one-sided lower bound of the ratio
  double margin;   // the relative change that does not count
  double visible;  // the relative change that would have been found in 99 of 100 cases
  bool slower;
};

struct CanaryFloor {
  std::string name;
  std::string unit;
  double median = 0;
  std::vector<double> values;  // one per process, in the order of the processes
  std::optional<Change> change = {};
};

enum class Answer : std::uint8_t { yes, no, absent };

// A probe without a process of its own. `no`: one crashed, and no more were begun.
inline constexpr std::string_view every_process = "every process measures the floors";

struct Probe {
  std::string name;
  Answer answer;
  std::string reason = {};            // why not `yes`
  std::optional<Answer> before = {};  // BASE's answer
};

struct Hang {
  std::string call;  // "cudaGraphLaunch"
  double seconds;
};

// What a document was compared with.
struct Base {
  std::string measured_at;
  std::string tool_version;
  std::string driver;
  std::int64_t processes;
};

enum class Verdict : std::uint8_t { measured, same, slower, broken, hung, blind, other_card };

struct Canary {
  std::string tool_version;
  std::string tool_commit;
  std::string measured_at;  // RFC 3339, UTC
  bool complete = true;     // false: the user interrupted
  Verdict verdict = Verdict::measured;
  std::string sentence;
  model::Environment environment{};
  std::int64_t processes = 0;
  double soak_seconds = 0;
  std::optional<Base> against = {};
  std::vector<CanaryFloor> floors = {};
  std::vector<Probe> probes = {};
  std::optional<Hang> hang = {};
};

}  // namespace graphbench::canary
