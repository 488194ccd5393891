// Writes the entries and series of `history` as JSON.
#include "harness/judge/history/history_fields.hpp"
#include "harness/model/codec/documents.hpp"

namespace graphbench::codec {

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

}  // namespace graphbench::codec

namespace graphbench::judge {

std::string entries_to_json(const std::vector<HistoryEntry>& entries) {
  return codec::document_of("graphbench.history/1",
                            {{"entries", codec::JsonWriter(codec::Form::document).write(entries)}}) +
         "\n";
}

std::string series_to_json(const CellHistory& history) {
  return codec::document_of("graphbench.series/1", codec::JsonWriter(codec::Form::document).write(history)) +
         "\n";
}

}  // namespace graphbench::judge
