// Checks that a document's summaries follow from its launches. Internal to harness/model/codec.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/codec/json_walk.hpp"
#include "harness/model/result.hpp"

namespace graphbench::model {

// Keeps of each cell what its summary is made from, and at the document's end makes all summaries again, with
// the sweep's own functions. Gains need all cells, because a cell's eager cell may follow it.
class SummaryChecker {
 public:
  // Call it for each element of "cells" or "ladders". `place` is where the element is: "cells[3]".
  void add(std::string place, const std::string& id, const CellResult& cell, bool is_ladder);

  // `says_complete`: the document says that it is complete. Fails, with the cell's place and id, where
  // - a number of a summary differs by more than rounding from what the launches give. What a document leaves
  //   out, or what only the samples could tell, is not missed;
  // - a complete document has a cell that was interrupted, or an ok cell with fewer launches than planned.
  void check(const Result& head, bool says_complete, JsonWalk& walk);

 private:
  // What summaries are made from, in a fraction of a Launch's memory. NaN: absent.
  struct KeptLaunch {
    std::int64_t index = 0;
    double submit_seconds = 0;
    double latency_seconds = 0;
    double device_seconds = 0;
    double steps_per_second = 0;
    double cost_seconds = 0;                     // of the first setup
    std::vector<double> cost_of_setups_seconds;  // of each placement's
    double startup_seconds = 0;
  };
  struct Kept {
    std::string place;
    std::string id;
    std::int64_t launches_counted = 0;
    Cell cell;
    CellSummary summary{};
    std::optional<GraphCounts> graph;
    std::optional<Counters> counters;
    std::optional<StepRecords> records;
    std::vector<KeptLaunch> launches;
  };
  static Kept kept_of(const CellResult& cell);
  static CellResult cell_of(const Kept& kept);

  std::vector<Kept> whole_;  // cells whose eager cells can be found by their axes
  std::vector<Kept> apart_;  // ladders, and cells that do not say their axes: only their medians are checked
  std::vector<Kept> interrupted_;

  static void compare(const Kept& at, const CellSummary& said, const CellSummary& made, JsonWalk& walk);
  void check_complete(const Result& head, JsonWalk& walk) const;
  void check_group(const std::vector<const Kept*>& group, const Result& head, JsonWalk& walk) const;
};

}  // namespace graphbench::model
