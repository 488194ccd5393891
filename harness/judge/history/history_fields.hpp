// The JSON form of the history: `graphbench.history/1` and `graphbench.series/1`.
#pragma once

#include <optional>
#include <vector>

#include "harness/judge/history/history.hpp"
#include "harness/judge/report/comparison_fields.hpp"

namespace graphbench::model {

GB_DESCRIBE(judge::HistoryLabel, (text, commit), (text, branch), (text, label));
GB_DESCRIBE(judge::HistoryEntry, id, started_at, (inlined(&T::label)), (text, device), (text, fingerprint),
            (text_field("plan", &T::plan_hash)), (text_field("tool", &T::tool_version)), complete, cells,
            launches);
GB_DESCRIBE(judge::HistoryPoint, entry, (field("median_seconds", &T::median)),
            (field("lowest_seconds", &T::lowest)), (field("highest_seconds", &T::highest)), launches);

GB_DESCRIBE(judge::ChangePoint, index, ratio, p);

GB_DESCRIBE(judge::ChangedCell, cell, changes, since, ratio, p);
GB_DESCRIBE(judge::ChangedCells, metric, searched, too_short, points_min, alpha, cells);

struct ChangesField {
  using Holds = std::vector<judge::ChangePoint>;
  static std::optional<Json> write(const judge::CellHistory& history);
  static void read(JsonWalk& walk, JsonWalk::Value value, judge::CellHistory& history) {
    JsonReader(walk).read(value, history.changes);
  }
};

GB_DESCRIBE(judge::CellHistory, cell, metric, points_min, left_out, older, correlation, points,
            (custom_field<ChangesField>("changes")));

}  // namespace graphbench::model
