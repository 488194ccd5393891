// The parts of a result document that the history stores, and the baseline for `compare --against NAME NEW`.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/compare/read_side.hpp"
#include "harness/judge/history/store.hpp"
#include "harness/model/codec/document.hpp"

namespace graphbench::history {

struct BaselineRequest {
  std::string name;      // a branch, a label, or at least the first seven characters of a commit
  std::string new_path;  // NEW's file or folder, for messages
  std::vector<std::string> allow;
};

// The entries with branch, label or commit `name`, oldest first. If none: InputError with the known names.
std::vector<model::HistoryEntry> entries_called(Store& store, const std::string& name);

// The latest complete entry of this name with NEW's environment and plan, else the latest comparable() one.
// Skips NEW's own. Without one throws InputError with the latest one's blocking differences.
compare::Side find_baseline(Store& store, const BaselineRequest& request, const compare::Side& now);

// The launch medians of every ok cell, for each metric that is a time.
std::vector<LaunchMedians> medians_of(const codec::Document& document);

// The plan's hash and the measuring method. Entries with the same key may be compared.
std::string plan_key(const codec::DocumentFacts& facts);

// Reads an entry. Throws InputError if the file cannot be read, is not a result document or has no valid
// started_at. Does not wait for a named pipe's writer: a pipe without a writer is empty.
NewEntry read_entry(const std::string& path, const model::HistoryLabel& label);

}  // namespace graphbench::history
