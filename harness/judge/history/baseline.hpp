// The baseline of a comparison, taken from the history: `compare --against NAME NEW`.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/compare/read_side.hpp"
#include "harness/judge/history/store.hpp"

namespace graphbench::history {

struct BaselineRequest {
  std::string name;      // a branch, a label, or the beginning of a commit (seven characters at least)
  std::string new_path;  // NEW's file or folder: its own entries are no baseline for it
  std::vector<std::string> allow;
};

// The entries of that name, oldest first, at least one. Where none has it, throws InputError that lists the
// known names.
std::vector<model::HistoryEntry> entries_called(Store& store, const std::string& name);

// The latest complete entry of that name that compares with NEW: one of the same environment and plan if
// there is one, else one with no blocking difference (another driver is what one wants to compare). Where
// there is none, throws InputError that says what the latest differs in.
compare::Side find_baseline(Store& store, const BaselineRequest& request, const compare::Side& now);

}  // namespace graphbench::history
