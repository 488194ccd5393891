// Turns documents of other tools into ours, so that a team can compare results it already has.
// docs/comparing-foreign.md says what becomes what, and why.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/codec/json_walk.hpp"
#include "harness/verdict/compare/facts.hpp"

namespace graphbench::compare {

enum class DocumentFormat : std::uint8_t { graphbench, google_benchmark, nvbench };

// By content: "schema" is ours, "context" with "benchmarks" Google Benchmark's, "devices" with "benchmarks"
// nvbench's. Anything else, valid JSON or not, is `graphbench`: its reader says what is wrong. As everywhere
// here, text_padding readable bytes follow `text`.
DocumentFormat format_of(std::string_view text);

// parse_document() of whichever format the text has. Each document of another tool is one launch: its
// repetitions ran in one process. Throws InputError as parse_document() does.
Document parse_any_document(std::string_view text, const std::string& source);

// What --benchmark_out_format=json writes. Real time (or manual time) is the latency.
Document parse_google_benchmark(std::string_view text, const std::string& source);

// What nvbench's --json writes, from version 1 of its format on. Mean cold GPU time is the device time, mean
// cold CPU time the latency.
Document parse_nvbench(std::string_view text, const std::string& source);

// What a comparison requires of every tool's documents. Internal to this folder.
void check_cells(const codec::JsonWalk& walk, const Document& document);

}  // namespace graphbench::compare
