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
  std::string_view name;  // what --format takes
  std::string_view what;  // for --help
  void (*print)(std::ostream& out, const model::Comparison& comparison, const FormatOptions& options);
};

// The first is the default.
const std::vector<Format>& formats();
// Null if no format has that name.
const Format* find_format(std::string_view name);

// For a terminal: prints what became slower first, and what to do last.
void print_comparison_table(std::ostream& out, const model::Comparison& comparison,
                            const FormatOptions& options);
// Prints the document `graphbench.comparison/1`, one cell per line.
void print_comparison_json(std::ostream& out, const model::Comparison& comparison,
                           const FormatOptions& options);

// The most bytes of a comment on GitHub.
inline constexpr std::size_t markdown_length_max = 65536;
// For a pull request: one line of verdict, a table of what changed, the rest folded. GitHub-flavoured, at
// most markdown_length_max bytes: tables are cut where they do not fit, and say how many of their rows are
// left out. Names and messages from documents are escaped: they format, mention and link nothing.
void print_comparison_markdown(std::ostream& out, const model::Comparison& comparison,
                               const FormatOptions& options);

// JUnit XML in the dialect that Jenkins, GitLab and GitHub's report actions read: one testcase per cell, a
// failure where a metric is slower or the cell was lost, skipped where the launches cannot tell (a failure
// with --strict) or nothing was compared. There is a failure exactly where passed() is false. Testcases carry
// no `time`: it would be taken for how long a test ran.
void print_comparison_junit(std::ostream& out, const model::Comparison& comparison,
                            const FormatOptions& options);

// GitHub shows this many errors and as many warnings per step, and drops the rest silently.
inline constexpr std::size_t annotations_max = 10;
// Workflow commands, which become annotations of a run: errors for results that fail the comparison (with
// --strict also results that are inconclusive, changed or less steady), warnings for interrupted sweeps, odd
// launches and differences of environment, and one notice that sums up, inconclusive results included, and
// says how many were left out.
void print_comparison_github(std::ostream& out, const model::Comparison& comparison,
                             const FormatOptions& options);

}  // namespace graphbench::reporters
