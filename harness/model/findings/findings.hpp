// A result in words: conclusions give advice, and notes say how reliable the numbers are. Both are pure
// functions of the result, so every document and every reader has the same words.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::model {

// A number of a conclusion as it is shown beside others of its kind.
struct ShownNumber {
  std::string name;                   // "gain", "start-up"
  std::string mode;                   // that it is of; of a gain the mode to use: also "either", "unknown"
  std::optional<std::int64_t> batch;  // absent: of all sizes
  std::string text;                   // "1.36x"
  std::string interval = {};          // "[1.30, 1.45]"; empty: there is none
};

// One sentence. Sentences with equal subjects form a card: those labelled `use` are its verdict, those of
// each further label a line.
struct Conclusion {
  std::string subject;  // the workload, and the axis values that distinguish its groups: "attention fp16"
  std::string code;
  std::string text;
  std::vector<std::string> cells = {};         // ids of the cells that support the sentence
  std::map<std::string, double> figures = {};  // the numbers in the text
  std::string label = {};                      // by the code: see label_of()
  std::vector<ShownNumber> shown = {};         // the numbers that a card draws
};

struct Note {
  std::string code;
  std::string text;
  std::vector<std::string> cells = {};  // ids of the cells concerned; empty: all
};

inline constexpr std::int64_t launches_for_intervals = 3;
// A smaller gain makes no practical difference.
inline constexpr double gain_margin = 0.02;
// A step is launch-bound if its device idles for at least launch_bound_share of eager's latency, and
// device-bound if it idles for at most device_bound_share.
inline constexpr double launch_bound_share = 0.5;
inline constexpr double device_bound_share = 0.1;

// The lines of a card, in their order. What is `details` can be left for later.
inline constexpr std::string_view card_labels[] = {"use",       "why",          "cost",
                                                   "pays back", "not measured", "details"};
// Returns which line has the conclusions of this code.
std::string_view label_of(std::string_view code);

std::vector<Conclusion> conclusions_of(const Result& result);

// The first note is "trust: high" or "trust: low (WHY): WHAT TO DO". The others follow by importance.
std::vector<Note> notes_of(const Result& result);
// Whether other work was seen on the machine before the sweep.
bool is_busy(const Environment& environment);
// Returns the first note for a machine on which nothing was measured yet.
Note trust_in(const Environment& environment);

// Removes the parts of a cell that no finding needs, such as samples and placements.
void keep_evidence(CellResult& cell);

}  // namespace graphbench::model
