// The printers of Reports, which the table of formats names.
#pragma once

#include "reporters/report.hpp"

namespace graphbench::reporters {

// Text for a terminal: the sections in their order, long ones cut, conclusions last.
void print_console(std::ostream& out, const Report& report, const PrintOptions& options);
// GitHub-flavoured Markdown in at most Report::page_bytes_max bytes: conclusions first, folded sections last.
void print_markdown(std::ostream& out, const Report& report, const PrintOptions& options);
// A part of a web page, for browsers without scripts: conclusions first, a table per section.
void print_html(std::ostream& out, const Report& report, const PrintOptions& options);
// One table of all rows, under one head: a column has a number in full precision and in its unit.
void print_csv(std::ostream& out, const Report& report, const PrintOptions& options);
// JUnit XML in the dialect of Jenkins, GitLab and GitHub's report actions: one testcase per name of a row,
// without a `time`, which would be shown as a test's duration.
void print_junit(std::ostream& out, const Report& report, const PrintOptions& options);
// Workflow commands, which GitHub shows as annotations, and one notice with the title.
void print_github(std::ostream& out, const Report& report, const PrintOptions& options);

}  // namespace graphbench::reporters
