// A result in words: conclusions say what to do, notes say how far the numbers can be trusted. Both are pure
// functions of the result, so every document and every reader has the same words.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::model {

// One sentence. Sentences of one subject follow one another and form a paragraph.
struct Conclusion {
  std::string subject;  // "attention", with the values that tell it from other subjects
  std::string code;     // "use_graphs"
  std::string text;
  std::vector<std::string> cells = {};         // ids of the cells that it was read from
  std::map<std::string, double> figures = {};  // those in the text
};

struct Note {
  std::string code;  // "trust_low"
  std::string text;
  std::vector<std::string> cells = {};  // ids of the cells that it is about; empty: all
};

// Confidence intervals need this many launches.
inline constexpr std::int64_t launches_for_intervals = 3;
// A gain below it makes no difference.
inline constexpr double gain_margin = 0.02;
// Launches bound a step if enqueueing takes at least the first share of eager's latency; the device bounds it
// if enqueueing takes less than the second.
inline constexpr double launch_bound_share = 0.8;
inline constexpr double device_bound_share = 0.5;

std::vector<Conclusion> conclusions_of(const Result& result);

// The first is the judgement: "trust: high", or "trust: low (WHY): WHAT TO DO". The others are in the order
// of their weight.
std::vector<Note> notes_of(const Result& result);
// The judgement of a machine before anything was measured on it.
Note trust_in(const Environment& environment);

// Leaves out the parts that no finding reads: samples and placements.
void keep_evidence(CellResult& cell);

}  // namespace graphbench::model
