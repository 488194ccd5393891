// How comparisons put numbers, differences and text from documents into words, the same in every format.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/model/comparison.hpp"

namespace graphbench::reporters {

// Makes one line of valid UTF-8 for people: broken sequences become U+FFFD, control characters blanks,
// invisible ones an escape. Keeps at most `length_max` code points, with an ellipsis at the cut.
std::string printable(std::string_view text, std::size_t length_max = 500);

// The most of a name that a line has room for.
inline constexpr std::size_t name_length_max = 240;

// "latency 112us -> 118us, 1.052x [1.041, 1.063], q 0.0123"; if it is inconclusive, also the change that it
// could have found: ", finds 6.8 %".
std::string metric_text(const model::MetricComparison& metric);

// A metric of a cell; both point into the comparison.
struct Finding {
  const model::CellComparison* cell = nullptr;
  const model::MetricComparison* metric = nullptr;
  std::size_t alike = 1;    // members of the family with this verdict
  std::size_t members = 1;  // of the family
};

// "whole submit of 27 cells 1.64us -> 1.97us, 1.200x [1.150, 1.252], q 0.0012".
std::string mean_text(const model::MeanComparison& mean);

// "same", "slower, less steady".
std::string verdict_text(const model::MeanComparison& mean);
// "whole latency: launches of NEW spread by 18 %, of BASE by 0.1 %"; empty of a mean that is as steady.
std::string less_steady_text(const model::MeanComparison& mean);
// "launch 2 of NEW: latency 1.500x of the others, in most of 81 cells".
std::vector<std::string> odd_launch_texts(const model::Comparison& comparison);

// All metrics with one verdict, worst first: the largest ratio, for `faster` the smallest.
std::vector<Finding> findings(const model::Comparison& comparison, model::Verdict verdict);

// The first of each family, which is its worst, in the given order. `found` have one verdict.
std::vector<Finding> folded(const model::Comparison& comparison, const std::vector<Finding>& found);
// "8 metrics", "8 metrics of 2 families": before folding and after.
std::string count_text(std::size_t metrics, const std::vector<Finding>& families);

// "1.052x"
std::string ratio_text(double ratio);
// "[1.047, 1.058]", "-" if there is none.
std::string interval_text(const model::MetricComparison& metric);
// The smallest change that would have been found: "6.8 %", ">1000 %", "-" if nothing was tested.
std::string finds_text(const model::MetricComparison& metric);
// "<0.0001", "0.021", "-".
std::string q_text(const std::optional<double>& q);
// True if the cell was not compared, or not in all metrics.
bool has_gaps(const model::CellComparison& cell);
// "not in NEW", "failed in NEW: out_of_memory: ...", "latency is not in NEW" for a cell with gaps.
std::string coverage_text(const model::CellComparison& cell);
// "nodes 24 -> 26, pool_bytes 2.0 MiB -> 4.0 MiB"; empty if nothing changed.
std::string changes_text(const model::CellComparison& cell);
// "throttled: never -> power"; empty if the sides do not differ.
std::string throttle_text(const model::CellComparison& cell);
// "capture 1.90ms -> 1.70ms, 0.895x", one per metric that is not tested.
std::vector<std::string> listed_texts(const model::CellComparison& cell);
// "device.driver: 580 -> 590", and its consequence if it prevents the comparison.
std::string difference_text(const model::Difference& difference);
// Whether a library chose another algorithm. There may be many of them; choices_text says them in one line,
// "differs: 70 library choices (matmul 70 at first dimension 1 to 8); --format json has all", or is empty.
bool is_choice(const model::Difference& difference);
std::string choices_text(const model::Comparison& comparison);
// "base.json: NVIDIA H200, driver 580, graphbench 0.1.0 (abc), 5 launches, 2026-..."
std::string side_text(const model::ComparisonSide& side);
// "margin 2 %, floor 200ns", or each metric's where they differ.
std::string settings_text(const model::ComparisonSettings& settings);
// The changes that half and nine tenths of the metrics would have shown: "half of the metrics would
// have shown a change of 1.9 %, nine in ten one of 5.1 %"; empty if nothing was tested.
std::string detectable_text(const model::Comparison& comparison);
// The changes that means would have shown in nine cases of ten: "over a mode's cells: latency 2.3 %, submit
// 12 %"; empty if none was tested.
std::string means_found_text(const model::Comparison& comparison);
// "A slowdown of 3.1 % of one cell's latency would have been found in nine cases of ten; over a mode's cells:
// latency 2.3 %, submit 12 %.", with the required slowdown; empty if no latency was tested, or all were
// decided.
std::string power_text(const model::Comparison& comparison);
// What the user should do now, one sentence per line; empty if there is nothing to do.
std::vector<std::string> advice(const model::Comparison& comparison);

// The text as a code span that holds in a table's cell: nothing in it formats, mentions or links.
std::string as_code(std::string_view text);

// The text as prose in which nothing formats, mentions or links.
std::string as_prose(std::string_view text);

// Collects Markdown. A table takes at most half of the room that is left, so that those after it get some.
class MarkdownText {
 public:
  explicit MarkdownText(std::size_t length_max) : length_max_(length_max) {}

  // Unbounded: for short, fixed text.
  void add(std::string_view text) { text_ += text; }

  // Rows are made one by one, because only the first few hundred of a hundred thousand fit.
  struct Rows {
    std::size_t count = 0;
    std::function<std::string(std::size_t)> row;  // makes one row, with the line break that ends it
  };

  // `title`, then the table; nothing if there are no rows. A table that does not fit ends with a line
  // that says how many of its rows are left out.
  void add_table(std::string_view title, std::string_view head, const Rows& rows);

  // Adds the table, folded under "title (count)".
  void fold_table(std::string_view title, std::string_view head, const Rows& rows);

  std::string take() && { return std::move(text_); }

 private:
  void add_rows(std::string_view head, const Rows& rows);

  std::string text_;
  std::size_t length_max_;
};

}  // namespace graphbench::reporters
