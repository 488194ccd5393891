// The formats of a comparison. A format is a function in a file of its own and a row in formats.cpp.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/comparison.hpp"

namespace graphbench::reporters {

struct FormatOptions {
  bool colours = false;
};

struct Format {
  std::string_view name;  // value of --format
  std::string_view what;  // help text
  void (*print)(std::ostream& out, const model::Comparison& comparison, const FormatOptions& options);
};

// The first format is the default.
const std::vector<Format>& formats();
const Format* find_format(std::string_view name);

// Prints text for a terminal: slower metrics first, advice to the user last.
void print_comparison_table(std::ostream& out, const model::Comparison& comparison,
                            const FormatOptions& options);
// Prints the document `graphbench.comparison/1`, one cell per line.
void print_comparison_json(std::ostream& out, const model::Comparison& comparison,
                           const FormatOptions& options);

// The most bytes that GitHub accepts in a comment.
inline constexpr std::size_t markdown_length_max = 65536;
// GitHub-flavoured Markdown for a pull request, in at most markdown_length_max bytes: a line with the
// verdict, a table of changes, folded details. Text from documents is escaped.
void print_comparison_markdown(std::ostream& out, const model::Comparison& comparison,
                               const FormatOptions& options);

// JUnit XML in the dialect of Jenkins, GitLab and GitHub's report actions: one testcase per cell, without a
// `time`, which would be shown as a test's duration. Slower metrics, lost cells and, with --strict,
// inconclusive cells fail; cells not compared or inconclusive are skipped. Some test fails exactly if the
// comparison has not passed().
void print_comparison_junit(std::ostream& out, const model::Comparison& comparison,
                            const FormatOptions& options);

// GitHub shows at most this many errors and this many warnings per step, and drops the others silently.
inline constexpr std::size_t annotations_max = 10;
// Prints workflow commands, which GitHub shows as annotations. Errors: results that fail the comparison;
// with --strict also inconclusive, changed or less steady ones. Warnings: interrupted sweeps, odd launches,
// less steady means and different environments. One notice has the summary and counts omitted annotations.
void print_comparison_github(std::ostream& out, const model::Comparison& comparison,
                             const FormatOptions& options);

}  // namespace graphbench::reporters
