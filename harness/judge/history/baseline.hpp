// Finds the baseline of a comparison in the history, for `compare --against NAME NEW`.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/compare/read_side.hpp"
#include "harness/judge/history/store.hpp"

namespace graphbench::history {

struct BaselineRequest {
  std::string name;      // a branch, a label, or the beginning of a commit (seven characters at least)
  std::string new_path;  // NEW's file or folder, whose own entries are not its baseline
  std::vector<std::string> allow;
};

// The entries of that name, oldest first, at least one. Throws InputError, which lists the known names, where
// none has it.
std::vector<model::HistoryEntry> entries_called(Store& store, const std::string& name);

// The latest complete entry of that name that is comparable with NEW: one of the same environment and plan if
// there is one, else one without a blocking difference, such as another driver. Throws InputError, which says
// how the latest differs, where there is none.
compare::Side find_baseline(Store& store, const BaselineRequest& request, const compare::Side& now);

}  // namespace graphbench::history
