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
// Null if no format has that name.
const Format* find_format(std::string_view name);

// Prints text for a terminal: slower metrics first, advice to the user last.
void print_comparison_table(std::ostream& out, const model::Comparison& comparison,
                            const FormatOptions& options);
// Prints the document `graphbench.comparison/1`, one cell per line.
void print_comparison_json(std::ostream& out, const model::Comparison& comparison,
                           const FormatOptions& options);

// The most bytes that GitHub accepts in a comment.
inline constexpr std::size_t markdown_length_max = 65536;
// Prints GitHub-flavoured Markdown for a pull request: a line with the verdict, a table of changes, and
// folded details, in at most markdown_length_max bytes. A table that does not fit is cut and ends with the
// number of omitted rows. Text from documents is escaped, so it cannot add formatting, mentions or links.
void print_comparison_markdown(std::ostream& out, const model::Comparison& comparison,
                               const FormatOptions& options);

// Prints JUnit XML in the dialect of Jenkins, GitLab and GitHub's report actions, with one testcase per
// cell. A slower metric or a lost cell is a failure. A cell is skipped if it was not compared, or if it is
// inconclusive (with --strict that is a failure). The XML has a failure exactly if passed() is false.
// Testcases have no `time`, because readers would show it as the duration of a test.
void print_comparison_junit(std::ostream& out, const model::Comparison& comparison,
                            const FormatOptions& options);

// GitHub shows this number of errors and this number of warnings per step. It drops the others silently.
inline constexpr std::size_t annotations_max = 10;
// Prints workflow commands, which GitHub shows as annotations. Errors: results that fail the comparison;
// with --strict also inconclusive, changed or less steady ones. Warnings: interrupted sweeps, odd launches,
// less steady means and different environments. One notice has the summary and counts omitted annotations.
void print_comparison_github(std::ostream& out, const model::Comparison& comparison,
                             const FormatOptions& options);

}  // namespace graphbench::reporters
