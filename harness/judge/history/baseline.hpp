// The parts of a result document that the history stores, and the baseline for `compare --against NAME NEW`.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/compare/read_side.hpp"
#include "harness/judge/history/store.hpp"
#include "harness/model/codec/document.hpp"

namespace graphbench::judge {

struct BaselineRequest {
  std::string name;      // a branch, a label, or at least the first seven characters of a commit
  std::string new_path;  // NEW's file or folder, for messages
  std::vector<std::string> allow;
};

// The entries with branch, label or commit `name`, oldest first. Throws InputError, which lists the known
// names, if there is no such entry.
std::vector<HistoryEntry> entries_called(Store& store, const std::string& name);

// Returns the latest complete entry of this name with NEW's environment and plan, else the latest entry that
// is comparable(). Skips the entry of NEW itself. If no entry is comparable, throws InputError, which says in
// which facts the latest entry differs.
Side find_baseline(Store& store, const BaselineRequest& request, const Side& now);

// The launch medians of every ok cell, for each metric that is a time.
std::vector<LaunchMedians> medians_of(const model::Document& document);

// The plan's hash and the measuring method. Entries with the same key may be compared.
std::string plan_key(const model::DocumentFacts& facts);

struct DateRule {
  double now_seconds = 0;  // since 1970
  bool any = false;        // --allow-date: a clock that was wrong is no reason to refuse the document
};

// Reads an entry. Throws InputError if the file cannot be read, is not a result document, or has a started_at
// or finished_at that no clock shows; unless `rule` allows it, also if it started more than a day after now,
// or finished before it started: one start in the future would be the latest entry, and so the baseline,
// until then. Does not wait for a named pipe's writer: a pipe without a writer is empty.
NewEntry read_entry(const std::string& path, const HistoryLabel& label, const DateRule& rule);

}  // namespace graphbench::judge
