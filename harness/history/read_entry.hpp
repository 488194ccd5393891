// From a result document on disk, or its text, to what the history stores of it.
#pragma once

#include <string>
#include <vector>

#include "harness/codec/document.hpp"
#include "harness/history/store.hpp"

namespace graphbench::history {

// Of an ok cell's launches, by metric; metrics without a time are absent.
std::vector<LaunchMedians> medians_of(const codec::Document& document);

// Waits for nobody to write into a named pipe: one without a writer is empty, as compare has it. Throws
// InputError for a file that cannot be read or is no result document, in the words of
// harness/compare, or that does not say when it was measured.
NewEntry read_entry(const std::string& path, const model::HistoryLabel& label);

// A document that was stored. `source` begins messages about it.
codec::Document parse_stored(const std::string& text, const std::string& source);

}  // namespace graphbench::history
