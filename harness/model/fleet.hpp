// What `graphbench fleet` found over many replicas of one plan, as plain data. Factors are times over the
// fleet's middle one (1.1 takes 10 % longer), spreads and slowdowns are fractions; optional means absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::model {

// One of many that should be alike.
struct FleetUnit {
  std::optional<double> factor;  // absent: its documents do not have the time
  // Of one that is like the others to be so slow; absent where there are too few others.
  std::optional<double> p;
  bool outlier = false;
};

struct FleetDocument {
  std::string source;
  std::string started_at;  // RFC 3339, UTC
  std::optional<double> device_factor;
  std::optional<double> submit_factor;
};

struct FleetGpu {
  std::string uuid;             // on the host its hostname
  std::string node;             // of its last document
  FleetUnit unit;               // of device times
  std::optional<double> drift;  // the last document's factor over the first's; absent for one document
  std::int64_t cells_failed = 0;
  std::vector<FleetDocument> documents;  // the oldest first
};

struct FleetNode {
  std::string hostname;
  FleetUnit unit;  // of submit times
  std::int64_t gpus = 0;
  std::int64_t gpus_slow = 0;  // outliers
};

// A cell's times over documents.
struct FleetSpread {
  double deviation = 0;  // robust: of the logarithm
  double range = 1;      // the largest over the smallest
};
struct FleetCell {
  Cell cell;
  std::string id;
  std::optional<FleetSpread> device;
  std::optional<FleetSpread> submit;
  bool host_bound = false;  // its device time waits for the host, so it is no part of device factors
};

// What could be found among units of one kind. Absent numbers: too few units.
struct FleetTest {
  std::int64_t tested = 0;
  std::optional<double> spread;      // standard deviation of the logarithms of those alike
  std::optional<double> threshold;   // above this factor one is an outlier
  std::optional<double> detectable;  // a slowdown of one unit that is found in nine cases of ten
};

struct Fleet {
  std::string tool_version;
  std::string tool_commit;
  std::string device_name;
  std::string plan_hash;
  std::int64_t documents = 0;
  double alpha = 0.01;  // share of fleets without a slow unit that have an outlier, at most
  FleetTest gpu_test;
  FleetTest node_test;
  std::vector<FleetGpu> gpus;  // the slowest first, as nodes
  std::vector<FleetNode> nodes;
  std::vector<FleetCell> cells;  // the largest spread of device times first
  // Facts of which some documents have another value than the first, and how many.
  struct Difference {
    std::string field;
    std::int64_t documents = 0;
  };
  std::vector<Difference> differences;

  std::int64_t outliers() const {
    std::int64_t count = 0;
    for (const FleetGpu& gpu : gpus) count += gpu.unit.outlier ? 1 : 0;
    for (const FleetNode& node : nodes) count += node.unit.outlier ? 1 : 0;
    return count;
  }
};

}  // namespace graphbench::model
