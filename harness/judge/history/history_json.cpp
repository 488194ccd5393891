// Writes the entries and series of `history` as JSON.
#include <utility>

#include "harness/judge/history/history.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/result_fields.hpp"

namespace graphbench::codec {

template <typename T>
struct MetricName {
  std::optional<Json> write(const T& value) const { return Json(name_of(value.metric)); }
};

GB_DESCRIBE(model::HistoryLabel, (text, commit), (text, branch), (text, label));
GB_DESCRIBE(model::HistoryEntry, id, started_at, (inlined(&T::label)), (text, device), (text, fingerprint),
            (text_field("plan", &T::plan_hash)), (text_field("tool", &T::tool_version)), complete, cells,
            launches);
GB_DESCRIBE(model::HistoryPoint, entry, (field("median_seconds", &T::median)),
            (field("lowest_seconds", &T::lowest)), (field("highest_seconds", &T::highest)), launches);

struct Changes {
  std::optional<Json> write(const model::CellHistory& history) const {
    const JsonWriter writer(Form::document);
    Json changes = Json::array();
    for (const model::ChangePoint& change : history.changes) {
      changes.push_back({{"index", change.index},
                         {"entry", history.points[static_cast<std::size_t>(change.index)].entry.id},
                         {"ratio", writer.write(change.ratio)},
                         {"p", writer.write(change.p)}});
    }
    return changes;
  }
};

GB_DESCRIBE(model::CellHistory, cell, (custom_field<MetricName<T>>("metric")), points_min, left_out, older,
            correlation, points, (custom_field<Changes>("changes")));

std::string to_json(const std::vector<model::HistoryEntry>& entries) {
  return document_of("graphbench.history/1", {{"entries", JsonWriter(Form::document).write(entries)}}) + "\n";
}

std::string to_json(const model::CellHistory& history) {
  return document_of("graphbench.series/1", JsonWriter(Form::document).write(history)) + "\n";
}

}  // namespace graphbench::codec
