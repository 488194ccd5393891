// The parts of a result document that a comparison reads: fields that the schema requires, and optional
// fields. Documents of other programs need only the required fields. Also makes these parts from a result.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/comparison.hpp"
#include "harness/model/result.hpp"

namespace graphbench::model {

// One launch's median of each compared metric that the document has, in the metric's unit.
struct LaunchTimes {
  std::int64_t index = 0;
  std::map<Metric, double> seconds = {};
  std::int64_t document = 0;  // index of the document on its side

  double& operator[](Metric metric) { return seconds[metric]; }
  // Returns 0 if the document has no value.
  double operator[](Metric metric) const {
    const auto found = seconds.find(metric);
    return found == seconds.end() ? 0 : found->second;
  }
  friend bool operator==(const LaunchTimes&, const LaunchTimes&) = default;
};

// A comparison ignores changes of the number up to the resolution, and all changes if that is not known.
struct Count {
  std::int64_t number = 0;
  std::optional<std::int64_t> resolution = 0;
  friend bool operator==(const Count&, const Count&) = default;
};

struct DocumentCell {
  std::string id;
  // Never `pending`. If documents are merged: the worst of their states, as the state of a cell is the worst
  // state of its launches.
  CellStatus state = CellStatus::ok;
  std::string reason;  // "code: message"; empty for `ok`
  std::vector<LaunchTimes> launches;
  std::map<std::string, Count, std::less<>> counts = {};  // by MetricRow::counted
  std::string paths = {};                                 // "conv2d:cudnn x8, sdpa:own x4"
  std::string throttled = {};  // reasons for throttling around launches, sorted and joined by "+"
  friend bool operator==(const DocumentCell&, const DocumentCell&) = default;
};

// The readings of the device's monitor before and after launches, and how launches' cores did
// (launches[].machine).
struct DeviceClocks {
  std::vector<double> sm_clocks_hz;               // all readings, in the document's order
  std::int64_t launches = 0;                      // number of launches with readings
  std::map<std::string, std::int64_t> throttled;  // number of launches by reason
  std::int64_t pinned = 0;                        // launches whose core was probed
  std::int64_t shared = 0;                        // those of them beside other work on the core
  void add(const DeviceClocks& later) {
    launches += later.launches;
    pinned += later.pinned;
    shared += later.shared;
    sm_clocks_hz.insert(sm_clocks_hz.end(), later.sm_clocks_hz.begin(), later.sm_clocks_hz.end());
    for (const auto& [reason, count] : later.throttled) throttled[reason] += count;
  }
  friend bool operator==(const DeviceClocks&, const DeviceClocks&) = default;
};

// The facts that a comparison compares, in the order in which it lists differences, besides facts with one of
// the prefixes below.
inline constexpr auto fact_names = std::to_array<std::string_view>({"device.kind",
                                                                    "device.name",
                                                                    "device.compute_capability",
                                                                    "plan",
                                                                    "method",
                                                                    "plan.concurrent",
                                                                    "device.memory_bytes",
                                                                    "device.driver",
                                                                    "device.runtime",
                                                                    "cpu",
                                                                    "cores",
                                                                    "hostname",
                                                                    "os",
                                                                    "device.uuid",
                                                                    "machine.governor",
                                                                    "machine.turbo",
                                                                    "machine.pinned",
                                                                    "plan.cell_processes",
                                                                    "plan.seed",
                                                                    "plan.time_per_cell",
                                                                    "plan.launches",
                                                                    "tool.version",
                                                                    "tool.commit",
                                                                    "fingerprint"});

// Prefixes of the names of facts. The facts are the version of a library, the value of one of graphbench's
// environment variables, and the algorithm of a LibraryChoice (if a key has several: joined by "+").
inline constexpr std::string_view library_prefix = "device.libraries.";
inline constexpr std::string_view variable_prefix = "variables.";
inline constexpr std::string_view choice_prefix = "library_choices.";

struct DocumentFacts {
  std::string tool_version;
  std::string tool_commit;
  std::string started_at;
  std::string finished_at;
  bool complete = true;
  // Facts by name, such as "device.name". --allow accepts the names of facts that can block a comparison
  // (harness/judge/compare/facts.hpp).
  std::map<std::string, std::string> fields;
  std::string field(const std::string& name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string() : found->second;
  }
  DeviceClocks clocks;
  std::vector<double> loads;  // environment.machine.load_average: of each document that has it
  std::string interleaved;    // plan.interleaved.id, which both sides of an A/B run share; empty: no A/B run
  // plan.interleaved.looks: the numbers of launches per side at which the A/B run was compared.
  std::vector<std::int64_t> looks;
  friend bool operator==(const DocumentFacts&, const DocumentFacts&) = default;
};

struct Document {
  std::string source;
  DocumentFacts facts;
  std::vector<DocumentCell> cells;
  friend bool operator==(const Document&, const Document&) = default;
};

// Makes the DocumentCell of a cell or ladder. Adds the monitor's readings around its launches to `clocks`.
DocumentCell fold(std::string id, const CellResult& cell, DeviceClocks& clocks);
DocumentFacts facts_of(const Result& head);

// Returns the Document that parse_document() returns for the result's JSON text. Messages name `source`.
Document project(const Result& result, const std::string& source);

}  // namespace graphbench::model
