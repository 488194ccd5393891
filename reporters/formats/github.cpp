// Prints a Report as GitHub's workflow commands, escaped for the runner's parser. It chooses what the few
// annotations that GitHub shows are used for: rows and sentences in their order.
#include <fmt/format.h>

#include <algorithm>

#include "reporters/report.hpp"

namespace graphbench::reporters {
namespace {

constexpr std::size_t message_length_max = 1000;

// Escapes what the runner interprets: "%", and in a property ":" and ",". printable() removes line breaks.
std::string escaped(std::string_view text, bool property) {
  std::string line;
  for (const char c : printable(text, message_length_max)) {
    if (c == '%' || (property && (c == ':' || c == ','))) {
      line += fmt::format("%{:02X}", c);
    } else {
      line += c;
    }
  }
  return line;
}

struct Annotations {
  std::vector<std::string> errors;
  std::vector<std::string> warnings;

  void add(Weight weight, const std::string& title, const std::string& message) {
    if (weight != Weight::regression && weight != Weight::notice) return;
    const bool is_error = weight == Weight::regression;
    (is_error ? errors : warnings)
        .push_back(fmt::format("::{} title={}::{}\n", is_error ? "error" : "warning",
                               escaped("graphbench: " + title, true), escaped(message, false)));
  }
  void add(const Sentence& each, const std::string& subject) {
    add(each.weight, each.lead.empty() ? subject : each.lead, each.text);
  }
};

std::size_t write_annotations(std::ostream& out, const std::vector<std::string>& annotations,
                              std::size_t most) {
  const std::size_t shown = std::min(annotations.size(), most);
  for (std::size_t i = 0; i < shown; ++i) out << annotations[i];
  return annotations.size() - shown;
}

// GitHub shows the commands as annotations, and one notice with the title.
void print_github(std::ostream& out, const Report& report, const PrintOptions&) {
  Annotations found;
  std::string undecided;
  for (const Sentence& each : report.head) found.add(each, "notice");
  for (const Section& section : report.sections) {
    for (const Row& row : section.rows) {
      std::string message = printable(row.name, name_length_max) + ": " + row.sentence;
      if (!row.note.empty()) message += ": " + row.note;
      found.add(row.weight, row.verdict, message);
    }
    if (std::ranges::any_of(section.rows, [](const Row& row) { return row.weight == Weight::undecided; }) ||
        (section.weight == Weight::undecided && !section.rows.empty() &&
         section.rows.front().weight != Weight::regression))
      undecided += "; " + section.subject + section.detail;
    for (const Sentence& each : section.sentences) found.add(each, section.subject);
  }
  for (const Sentence& each : report.closing) found.add(each, "notice");
  // What fails without an annotation of its own fails by its title, which must be among those shown.
  const bool fails = report.title.weight == Weight::regression && !report.title.test.empty();
  const std::size_t errors_left = write_annotations(out, found.errors, annotations_max - (fails ? 1 : 0));
  const std::size_t warnings_left = write_annotations(out, found.warnings, annotations_max);
  std::string notice = printable(report.title.text);
  if (errors_left > 0) notice += fmt::format("; {} more errors are not shown", errors_left);
  if (warnings_left > 0) notice += fmt::format("; {} more warnings are not shown", warnings_left);
  notice += undecided;
  if (!report.summary.empty()) notice += "; " + report.summary;
  const char* level = fails ? "error" : "notice";
  out << fmt::format("::{} title={}::{}\n", level, escaped(report.heading, true), escaped(notice, false));
}

}  // namespace

Format github_format() {
  return {.name = "github",
          .what = "annotations for a GitHub workflow",
          .print = print_github,
          .judges = true,
          .place = 5};
}

}  // namespace graphbench::reporters
