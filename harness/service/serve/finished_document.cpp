// The document is read as a merge reads one: its cells become rows as they stand in it.
#include "harness/service/serve/finished_document.hpp"

#include <algorithm>
#include <filesystem>

#include "graphs/base/input_error.hpp"
#include "harness/model/codec/document_file.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/sweep/journal.hpp"

namespace graphbench::serve {

std::optional<FinishedDocument> read_finished(const std::string& path) {
  try {
    const codec::PaddedText text = codec::read_text(path);
    const codec::DocumentInParts document = codec::read_parts(text.view(), path);
    if (!document.head.complete) return std::nullopt;
    FinishedDocument finished;
    finished.end.exit_code = exit_done;
    for (const codec::CellText& cell : document.cells) {
      if (cell.status == model::CellStatus::failed) finished.end.exit_code = exit_cells_failed;
      finished.cells.push_back({cell.id, std::string(text.view().substr(cell.begin, cell.bytes))});
    }
    finished.end.finished_at = document.head.finished_at;
    finished.end.result = text.view();
    return finished;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

void store_finished_documents(SweepStore& store, const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != ".json") continue;
    const std::optional<StoredSweep> sweep = store.find(path.stem().string());
    if (!sweep || sweep->state != SweepState::interrupted) continue;
    const std::optional<FinishedDocument> finished = read_finished(path.string());
    if (!finished) continue;
    store.add_cells(sweep->id, finished->cells);
    store.end(sweep->id, finished->end);
    std::filesystem::remove(path);
    std::filesystem::remove(sweep::journal_of(path.string()));
  }
}

}  // namespace graphbench::serve
