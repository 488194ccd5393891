// Writes the entries and series of `history` as JSON.
#include "harness/judge/history/history_fields.hpp"
#include "harness/model/codec/documents.hpp"

namespace graphbench::codec {

// Names the entry of each change too, for readers of the document.
std::optional<Json> ChangesField::write(const model::CellHistory& history) {
  const JsonWriter writer(Form::document);
  Json changes = Json::array();
  for (const model::ChangePoint& change : history.changes) {
    changes.push_back({{"index", change.index},
                       {"entry", history.points.at(static_cast<std::size_t>(change.index)).entry.id},
                       {"ratio", writer.write(change.ratio)},
                       {"p", writer.write(change.p)}});
  }
  return changes;
}

std::string to_json(const std::vector<model::HistoryEntry>& entries) {
  return document_of("graphbench.history/1", {{"entries", JsonWriter(Form::document).write(entries)}}) + "\n";
}

std::string to_json(const model::CellHistory& history) {
  return document_of("graphbench.series/1", JsonWriter(Form::document).write(history)) + "\n";
}

}  // namespace graphbench::codec
