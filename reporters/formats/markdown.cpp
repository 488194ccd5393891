// Prints a Report as GitHub-flavoured Markdown. Text from documents is escaped.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "graphs/base/text.hpp"
#include "reporters/report.hpp"

namespace graphbench::reporters {
namespace {

constexpr std::size_t code_length_max = 240;
// Bytes for everything except rows: titles, counts of omitted rows, and how to read the page.
constexpr std::size_t reserved = 6144;

bool stands_for_itself(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x80) return true;  // bytes of a UTF-8 sequence
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view(" .,;:/+-=()%?'\"").find(c) != std::string_view::npos;
}

// True at the "://" or "." of "http://..." or "www. ...", which GitHub links without markup.
bool begins_a_link(std::string_view text, std::size_t i) {
  if (text[i] == ':') return text.substr(i).starts_with("://");
  if (text[i] != '.' || i < 3) return false;
  const std::string_view before = text.substr(i - 3, 3);
  return before == "www" || before == "WWW";
}

std::string as_entities(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (stands_for_itself(c) && !begins_a_link(text, i)) {
      escaped += c;
      continue;
    }
    escaped += fmt::format("&#{};", static_cast<int>(c));
    // GitHub decodes entities before it looks for @names and #numbers. A zero-width space hides them.
    if (c == '@' || c == '#') escaped += "&#8203;";
  }
  return escaped;
}

// A number's text is our own, and needs no escaping.
std::string text_of(const Column& column, const Value& value) {
  std::string text = value.value ? value.text : column.code ? as_code(value.text) : as_prose(value.text);
  if (column.range_name.empty() && !value.range.empty()) text += " " + value.range;
  return value.weight == Weight::regression ? "**" + text + "**" : text;
}

bool any_has(const Section& section, std::size_t column) {
  return std::ranges::any_of(section.rows, [&](const Row& row) { return !row.values[column].text.empty(); });
}

bool is_here(const Column& column) {
  return column.shown == Shown::everywhere || column.shown == Shown::as_text;
}

class Page {
 public:
  explicit Page(const Report& report) : report_(report) {}

  std::string text() && {
    print();
    return std::move(text_);
  }

 private:
  void print() {
    // A workflow finds its own comment by this marker, and edits it instead of writing another comment.
    if (!report_.name.empty())
      text_ += "<!-- " + join(split(report_.name, ' '), "-") + " -->\n### " + report_.heading + "\n\n";
    if (!report_.title.text.empty()) text_ += sentence(report_.title) + "\n\n";
    add_cards();
    list(report_.head);
    for (std::size_t i = 0; i < report_.sections.size(); ++i) {
      const Section& section = report_.sections[i];
      if (section.across) {
        const std::size_t first = i;
        while (i + 1 < report_.sections.size() && report_.sections[i + 1].across) ++i;
        add_side_by_side(first, i + 1);
      } else if (!section.folded) {
        add_section(section);
      }
    }
    for (const Sentence& each : report_.closing) text_ += sentence(each) + "\n\n";
    for (const Section& section : report_.sections) {
      if (section.folded) add_section(section);
    }
    if (report_.help.empty()) return;
    text_ += "<details><summary>How to read this</summary>\n\n";
    list(report_.help);
    text_ += "</details>\n";
  }

  static std::string sentence(const Sentence& each) {
    const std::string lead = each.lead.empty() ? "" : "**" + as_prose(each.lead) + "**: ";
    return lead + as_prose(each.text, 10'000);
  }

  // The details of all cards are folded together, because a list that has them folds badly on GitHub.
  void add_cards() {
    std::string details;
    for (const Card& card : report_.conclusions) {
      text_ += "- " + sentence({.text = card.verdict, .lead = card.subject}) + "\n";
      for (const Sentence& line : card.lines) text_ += "  - " + sentence(line) + "\n";
      if (!card.details.empty())
        details += "- " + sentence({.text = card.details, .lead = card.subject}) + "\n";
    }
    if (!report_.conclusions.empty()) text_ += "\n";
    if (!details.empty())
      text_ += "<details><summary>More conclusions</summary>\n\n" + details + "\n</details>\n\n";
  }

  void list(const std::vector<Sentence>& sentences) {
    for (const Sentence& each : sentences) text_ += "- " + sentence(each) + "\n";
    if (!sentences.empty()) text_ += "\n";
  }

  void add_section(const Section& section) {
    if (section.rows.empty() && section.sentences.empty()) return;
    const std::string title = as_prose(section.subject) + as_prose(section.detail);
    text_ += section.folded ? "<details><summary>" + title + "</summary>\n\n" : "**" + title + "**\n\n";
    if (!section.rows.empty()) add_table(section);
    std::vector<std::string> lines;
    for (const Sentence& each : section.sentences) lines.push_back("- " + sentence(each) + "\n");
    add_rows(lines);
    if (section.folded) text_ += "</details>\n\n";
  }

  void add_table(const Section& section) {
    std::vector<std::size_t> shown;
    std::string head = "|";
    std::string rule = "|";
    const auto add_head = [&](const std::string& name, bool right) {
      head += " " + as_prose(name) + " |";
      rule += right ? " ---: |" : " --- |";
    };
    for (std::size_t i = 0; i < section.columns.size(); ++i) {
      const Column& column = section.columns[i];
      if (!is_here(column) || !any_has(section, i)) continue;
      shown.push_back(i);
      add_head(column.name, column.align == Align::right);
      if (!column.range_name.empty()) add_head(column.range_name, false);
    }
    const bool notes = std::ranges::any_of(section.rows, [](const Row& row) { return !row.note.empty(); });
    if (notes) add_head("note", false);
    std::vector<std::string> lines;
    for (const Row& row : section.rows) {
      std::string line = "|";
      for (const std::size_t i : shown) {
        const Column& column = section.columns[i];
        line += " " + text_of(column, row.values[i]) + " |";
        if (!column.range_name.empty()) line += " " + row.values[i].range + " |";
      }
      if (notes) line += " " + as_prose(row.note) + " |";
      lines.push_back(line + "\n");
      if (lines.back().size() * lines.size() > report_.page_bytes_max) break;
    }
    add_rows(lines, head + "\n" + rule + "\n", section.rows.size());
  }

  // One table of neighbouring sections, with a row for each name and a group of columns for each value.
  void add_side_by_side(std::size_t first, std::size_t end) {
    const std::vector<Column>& columns = report_.sections[first].columns;
    const std::size_t across = *report_.sections[first].across;
    struct Part {
      std::string group;
      std::size_t column;
      bool range;
    };
    std::vector<std::string> groups;
    std::vector<std::pair<std::string, std::vector<const Row*>>> rows;
    std::map<std::string_view, std::size_t> places;
    std::vector<const Row*> all;
    for (std::size_t i = first; i < end; ++i) {
      for (const Row& row : report_.sections[i].rows) {
        all.push_back(&row);
        if (!contains(groups, row.values[across].text)) groups.push_back(row.values[across].text);
        const auto [place, is_new] = places.try_emplace(row.name, rows.size());
        if (is_new) rows.push_back({row.name, {}});
        rows[place->second].second.push_back(&row);
      }
    }
    std::vector<Part> parts;
    std::string head = "|  |";
    std::string rule = "| --- |";
    for (const std::string& group : groups) {
      for (std::size_t i = across + 1; i < columns.size(); ++i) {
        for (const bool range : {false, true}) {
          if (!is_here(columns[i]) || (range && columns[i].range_name.empty())) continue;
          if (std::ranges::none_of(all, [&](const Row* row) {
                return row->values[across].text == group &&
                       !(range ? row->values[i].range : row->values[i].text).empty();
              }))
            continue;
          parts.push_back({group, i, range});
          head += " " + as_prose(group + " " + (range ? columns[i].range_name : columns[i].name)) + " |";
          rule += " --- |";
        }
      }
    }
    std::vector<std::string> lines;
    for (const auto& [name, of_name] : rows) {
      std::string line = "| " + as_prose(name) + " |";
      std::string said;  // the group whose reason stands already
      for (const Part& part : parts) {
        const auto row = std::ranges::find_if(
            of_name, [&](const Row* each) { return each->values[across].text == part.group; });
        std::string text;
        if (row != of_name.end() && !(*row)->instead.empty()) {
          if (std::exchange(said, part.group) != part.group) text = as_prose((*row)->instead);
        } else if (row != of_name.end()) {
          const Value& value = (*row)->values[part.column];
          text = part.range ? value.range : text_of(columns[part.column], value);
        }
        line += " " + text + " |";
      }
      lines.push_back(line + "\n");
    }
    add_rows(lines, head + "\n" + rule + "\n");
  }

  // Adds what half of the remaining room holds, so that later tables fit too, and the number of omitted rows.
  void add_rows(const std::vector<std::string>& rows, const std::string& head = "", std::size_t count = 0) {
    if (rows.empty()) return;
    count = std::max(count, rows.size());
    const std::size_t max = report_.page_bytes_max - reserved;
    const std::size_t end = text_.size() + (text_.size() < max ? (max - text_.size()) / 2 : 0);
    text_ += head;
    std::size_t written = 0;
    for (; written < rows.size() && text_.size() + rows[written].size() <= end; ++written)
      text_ += rows[written];
    text_ += '\n';
    if (written < count)
      text_ += fmt::format(
          "*{} more of {} rows are left out, because the size of a comment is limited. The document has all "
          "rows.*\n\n",
          count - written, count);
  }

  const Report& report_;
  std::string text_;
};

// In at most Report::page_bytes_max bytes: conclusions first, folded sections last.
void print_markdown(std::ostream& out, const Report& report, const PrintOptions&) {
  out << Page(report).text();
}

}  // namespace

std::string as_code(std::string_view text) {
  const std::string line = printable(text, code_length_max);
  if (line.find_first_not_of(' ') == std::string::npos) return "(empty)";
  // Renderers disagree about a backtick in a code span; in a table also about a pipe and a backslash before
  // a pipe. Text with one of them gets a <code> tag, in which all renderers decode entities.
  if (line.find_first_of("`|\\") == std::string::npos) return "`" + line + "`";
  return "<code>" + as_entities(line) + "</code>";
}

std::string as_prose(std::string_view text, std::size_t length_max) {
  return as_entities(printable(text, length_max));
}

Format markdown_format() {
  return {.name = "markdown", .what = "Markdown for a pull request", .print = print_markdown, .place = 1};
}

}  // namespace graphbench::reporters
