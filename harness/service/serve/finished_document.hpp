// A document that is whole although its sweep's end is not stored: the service, or the sweep's process, died
// between the two.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/service/serve/sweep_store.hpp"

namespace graphbench::serve {

struct FinishedDocument {
  SweepEnd end;
  std::vector<SweepStore::NewCell> cells;
};

// Absent where there is no document at `path`, or one that is not complete.
std::optional<FinishedDocument> read_finished(const std::string& path);

// Stores interrupted sweeps whose documents in the folder are complete as done, and removes those files.
// A document is the sweep's that its name says: it is removed before the sweep runs again. Throws as the
// store does.
void store_finished_documents(SweepStore& store, const std::string& folder);

}  // namespace graphbench::serve
