// The parts of a result document that a comparison reads: the fields that the schema requires, and optional
// ones that say more. Documents of other programs need only the first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/comparison.hpp"

namespace graphbench::codec {

// One launch's medians by compared metric, in seconds; 0 if the document has none. The size is fixed, because
// a comparison may hold a million launches.
struct LaunchTimes {
  static constexpr std::size_t metrics_max = 10;

  std::int64_t index = 0;
  std::array<double, metrics_max> seconds = {};
  std::int64_t document = 0;  // index of the document, if several make up the side

  double& operator[](model::Metric metric) { return seconds.at(static_cast<std::size_t>(metric)); }
  double operator[](model::Metric metric) const { return seconds.at(static_cast<std::size_t>(metric)); }
  friend bool operator==(const LaunchTimes&, const LaunchTimes&) = default;

  // Throws std::logic_error if the table of metrics has more rows to compare, or to count, than there is
  // room for here and in a DocumentCell.
  static void check_room();
};

// Worst last: where documents are merged, the worst wins, as between the launches of a sweep.
enum class CellState : std::uint8_t { ok, skipped, failed };

struct DocumentCell {
  static constexpr std::size_t counts_max = 8;
  static constexpr std::int64_t absent_count = -1;
  static constexpr std::array<std::int64_t, counts_max> filled_with_absent() {
    std::array<std::int64_t, counts_max> counts = {};
    counts.fill(absent_count);
    return counts;
  }

  std::string id;
  CellState state = CellState::ok;
  std::string reason;  // "code: message"; empty for `ok`
  std::vector<LaunchTimes> launches;
  // In the order of model::counted_metrics(); absent_count if the document has none.
  std::array<std::int64_t, counts_max> counts = filled_with_absent();
  // Differences within this resolution do not count. absent_count if the document should have one and does
  // not.
  std::array<std::int64_t, counts_max> resolutions = {};
  std::string paths = {};      // "conv2d:cudnn x8, sdpa:own x4"
  std::string throttled = {};  // reasons for throttling around launches: sorted, joined by "+"
  friend bool operator==(const DocumentCell&, const DocumentCell&) = default;
};

// The readings of the device's monitor around the launches (launches[].machine), if the document has them.
struct DeviceClocks {
  std::vector<double> sm_clocks_hz;               // every reading, in the document's order
  std::int64_t launches = 0;                      // with readings
  std::map<std::string, std::int64_t> throttled;  // launches by the reason that was seen before or after
  // Adds the readings of later documents or cells.
  void add(const DeviceClocks& later) {
    launches += later.launches;
    sm_clocks_hz.insert(sm_clocks_hz.end(), later.sm_clocks_hz.begin(), later.sm_clocks_hz.end());
    for (const auto& [reason, count] : later.throttled) throttled[reason] += count;
  }
  friend bool operator==(const DeviceClocks&, const DeviceClocks&) = default;
};

// The versions of libraries, the variables of ours that were set, and the algorithm chosen for a key
// (several, joined by "+", where launches chose differently) are facts of these prefixes.
inline constexpr std::string_view library_prefix = "device.libraries.";
inline constexpr std::string_view variable_prefix = "variables.";
inline constexpr std::string_view choice_prefix = "library_choices.";

struct DocumentFacts {
  std::string tool_version;
  std::string tool_commit;
  std::string started_at;
  bool complete = true;
  // Facts by the names of --allow, such as "device.name". See facts.hpp.
  std::map<std::string, std::string> fields;
  // Empty if the document does not say.
  std::string field(const std::string& name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string() : found->second;
  }
  DeviceClocks clocks;
  std::string interleaved;  // plan.interleaved.id: the A/B run that both sides come from; empty: none
  // plan.interleaved.looks: the launches per side after which that run was looked at.
  std::vector<std::int64_t> looks;
  friend bool operator==(const DocumentFacts&, const DocumentFacts&) = default;
};

struct Document {
  std::string source;
  DocumentFacts facts;
  std::vector<DocumentCell> cells;
  friend bool operator==(const Document&, const Document&) = default;
};

}  // namespace graphbench::codec
