// The parts of a result document that the history stores, and the baseline for `compare --against NAME NEW`.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/compare/read_side.hpp"
#include "harness/judge/history/store.hpp"
#include "harness/model/codec/document.hpp"

namespace graphbench::history {

struct BaselineRequest {
  std::string name;      // a branch, a label, or the beginning of a commit (seven characters at least)
  std::string new_path;  // NEW's file or folder, whose own entries are not its baseline
  std::vector<std::string> allow;
};

// The entries of that name, oldest first. Throws InputError, which lists the known names, if none has it.
std::vector<model::HistoryEntry> entries_called(Store& store, const std::string& name);

// The latest complete entry of that name that is comparable with NEW: one of the same environment and plan if
// there is one, else one without a blocking difference, such as another driver. Throws InputError, which says
// how the latest differs, where there is none.
compare::Side find_baseline(Store& store, const BaselineRequest& request, const compare::Side& now);

// The medians of ok cells' launches, by metric, except metrics without a time.
std::vector<LaunchMedians> medians_of(const codec::Document& document);

// A key that entries of one plan and one measuring method share: the plan's hash, and the method.
std::string plan_key(const codec::DocumentFacts& facts);

// Reads an entry. Does not wait for the writer of a named pipe: a pipe without one is empty. Throws
// InputError for a file that cannot be read or is not a result document, and for a document that does not say
// when it was measured.
NewEntry read_entry(const std::string& path, const model::HistoryLabel& label);

}  // namespace graphbench::history
