// Prints a Report as HTML for browsers without scripts. Text from documents is escaped.
#include <fmt/format.h>

#include <algorithm>

#include "reporters/report.hpp"

namespace graphbench::reporters {
namespace {

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&' || c == '"') {
      safe += fmt::format("&#{};", static_cast<int>(c));
    } else {
      safe += c;
    }
  }
  return safe;
}

void print_list(std::ostream& out, const std::vector<Sentence>& sentences) {
  if (sentences.empty()) return;
  out << "<ul>\n";
  for (const Sentence& each : sentences)
    out << "<li>" << escaped((each.lead.empty() ? "" : each.lead + ": ") + each.text) << '\n';
  out << "</ul>\n";
}

void print_cards(std::ostream& out, const std::vector<Card>& cards) {
  if (cards.empty()) return;
  out << "<ul>\n";
  for (const Card& card : cards) {
    out << "<li>" << escaped(card.subject + ": " + card.verdict) << '\n';
    print_list(out, card.lines);
    if (!card.details.empty())
      out << "<details><summary>Details</summary>" << escaped(card.details) << "</details>\n";
  }
  out << "</ul>\n";
}

bool is_here(const Section& section, std::size_t column) {
  return section.columns[column].shown != Shown::as_data &&
         std::ranges::any_of(section.rows, [&](const Row& row) {
           return !row.values[column].text.empty() && row.values[column].text != "-";
         });
}

// Leaves out </td>, as HTML allows, because a report may have thousands of rows.
void print_rows(std::ostream& out, const Section& section, const std::vector<std::size_t>& columns) {
  const std::size_t across = section.across.value_or(section.columns.size());
  const bool notes = std::ranges::any_of(section.rows, [](const Row& row) { return !row.note.empty(); });
  out << "<tr>";
  for (const std::size_t i : columns) out << "<th scope=\"col\">" << escaped(section.columns[i].name);
  out << (notes ? "<th scope=\"col\">note\n" : "\n");
  for (const Row& row : section.rows) {
    if (row.repeated && section.across) continue;
    out << "<tr>";
    for (const std::size_t i : columns) {
      const bool is_number = i > across;
      if (is_number && !row.instead.empty()) {
        out << "<td colspan=\"" << columns.end() - std::ranges::find(columns, i) << "\">"
            << escaped(row.instead);
        break;
      }
      const Value& value = row.values[i];
      const bool has_range = !value.range.empty() && value.range != "-";
      out << "<td>" << escaped(value.text + (has_range ? " " + value.range : ""));
    }
    out << (notes ? "<td>" + escaped(row.note) + "\n" : "\n");
  }
}

void print_section(std::ostream& out, const Section& section) {
  if (section.rows.empty() && section.sentences.empty()) return;
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < section.columns.size(); ++i) {
    if (is_here(section, i)) columns.push_back(i);
  }
  out << "<h3>" << escaped(section.subject + section.detail) << "</h3>\n";
  if (!section.rows.empty() && section.rows_max > 0) {
    out << "<table>\n";
    print_rows(out, section, columns);
    out << "</table>\n";
  }
  print_list(out, section.sentences);
}

}  // namespace

void print_html(std::ostream& out, const Report& report) {
  if (!report.title.text.empty()) out << "<p>" << escaped(report.title.text) << "</p>\n";
  print_cards(out, report.conclusions);
  print_list(out, report.head);
  for (const Section& section : report.sections) print_section(out, section);
  print_list(out, report.closing);
}

}  // namespace graphbench::reporters
