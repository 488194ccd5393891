// Makes what the history stores of a result document, from a file or its text.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/history/store.hpp"
#include "harness/model/codec/document.hpp"

namespace graphbench::history {

// The medians of ok cells' launches, by metric, except metrics without a time.
std::vector<LaunchMedians> medians_of(const codec::Document& document);

// A key that entries of one plan and one measuring method share: the plan's hash, and the method where it is
// not 1.
std::string plan_key(const codec::DocumentFacts& facts);

// Reads an entry. Does not wait for the writer of a named pipe: a pipe without one is empty. Throws
// InputError for a file that cannot be read or is not a result document, and for a document that does not say
// when it was measured.
NewEntry read_entry(const std::string& path, const model::HistoryLabel& label);

}  // namespace graphbench::history
