// From a result document on disk, or its text, to what the history stores of it.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/history/store.hpp"
#include "harness/model/codec/document.hpp"

namespace graphbench::history {

// Of an ok cell's launches, by metric; metrics without a time are absent.
std::vector<LaunchMedians> medians_of(const codec::Document& document);

// What entries of one plan and one measuring method share: the plan's hash, and the method where it is not 1.
std::string plan_key(const codec::DocumentFacts& facts);

// Does not wait for the writer of a named pipe: a pipe without one is empty. Throws InputError, worded by the
// reader of documents, for a file that cannot be read or is no result document, and for a document that does
// not say when it was measured.
NewEntry read_entry(const std::string& path, const model::HistoryLabel& label);

}  // namespace graphbench::history
