// A result in words: conclusions give advice, and notes say how reliable the numbers are. Both are pure
// functions of the result, so every document and every reader has the same words.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::model {

// One sentence. Consecutive sentences with the same subject form a paragraph.
struct Conclusion {
  std::string subject;  // "attention", with the values that distinguish it from other subjects
  std::string code;     // "use_graphs"
  std::string text;
  std::vector<std::string> cells = {};         // ids of the cells that support it
  std::map<std::string, double> figures = {};  // the numbers in the text
};

struct Note {
  std::string code;  // "trust_low"
  std::string text;
  std::vector<std::string> cells = {};  // ids of the cells concerned; empty: all
};

// Confidence intervals need this many launches.
inline constexpr std::int64_t launches_for_intervals = 3;
// A smaller gain makes no practical difference.
inline constexpr double gain_margin = 0.02;
// A step is launch-bound if enqueueing takes at least the first share of eager's latency, and device-bound if
// enqueueing takes less than the second.
inline constexpr double launch_bound_share = 0.8;
inline constexpr double device_bound_share = 0.5;

std::vector<Conclusion> conclusions_of(const Result& result);

// The first note is the judgement: "trust: high", or "trust: low (WHY): WHAT TO DO". The most important of
// the others come first.
std::vector<Note> notes_of(const Result& result);
// Judges a machine before the first measurement.
Note trust_in(const Environment& environment);

// Removes the parts that no finding reads, such as samples and placements.
void keep_evidence(CellResult& cell);

}  // namespace graphbench::model
