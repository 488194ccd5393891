// Writes the entries and series of `history` as JSON.
#include "harness/judge/history/history_fields.hpp"
#include "harness/model/codec/documents.hpp"

namespace graphbench::model {

// Names the entry of each change too, for readers of the document.
std::optional<Json> ChangesField::write(const judge::CellHistory& history) {
  const JsonWriter writer(Form::document);
  Json changes = Json::array();
  for (const judge::ChangePoint& change : history.changes) {
    changes.push_back({{"index", change.index},
                       {"entry", history.points.at(static_cast<std::size_t>(change.index)).entry.id},
                       {"ratio", writer.write(change.ratio)},
                       {"p", writer.write(change.p)}});
  }
  return changes;
}

}  // namespace graphbench::model

namespace graphbench::judge {

std::string entries_to_json(const std::vector<HistoryEntry>& entries) {
  return model::document_of("graphbench.history/1",
                            {{"entries", model::JsonWriter(model::Form::document).write(entries)}}) +
         "\n";
}

std::string series_to_json(const CellHistory& history) {
  return model::document_of("graphbench.series/1", model::JsonWriter(model::Form::document).write(history)) +
         "\n";
}

std::string changes_to_json(const ChangedCells& changed) {
  return model::document_of("graphbench.changes/1", model::JsonWriter(model::Form::document).write(changed)) +
         "\n";
}

}  // namespace graphbench::judge
