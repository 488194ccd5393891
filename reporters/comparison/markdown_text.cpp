// Escapes for GitHub-flavoured Markdown, and tables cut to a length.
#include "reporters/comparison/markdown_text.hpp"

#include <fmt/format.h>

#include "reporters/comparison/printable.hpp"

namespace graphbench::reporters {
namespace {

constexpr std::size_t code_length_max = 240;
constexpr std::size_t prose_length_max = 500;

bool stands_for_itself(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x80) return true;  // parts of characters beyond ASCII
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view(" .,;:/+-=()%?'\"").find(c) != std::string_view::npos;
}

// "http://..." and "www. ..." become links without any markup.
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
    // GitHub looks for @names and #numbers after entities are resolved: a blank of no width parts them.
    if (c == '@' || c == '#') escaped += "&#8203;";
  }
  return escaped;
}

}  // namespace

std::string as_code(std::string_view text) {
  const std::string line = printable(text, code_length_max);
  if (line.find_first_not_of(' ') == std::string::npos) return "(empty)";
  // In a span of backticks neither a backtick nor, in a table, a pipe or a backslash before one can be
  // written so that all renderers agree; as entities in the tag they can.
  if (line.find_first_of("`|\\") == std::string::npos) return "`" + line + "`";
  return "<code>" + as_entities(line) + "</code>";
}

std::string as_prose(std::string_view text) {
  return as_entities(printable(text, prose_length_max));
}

void MarkdownText::add_rows(std::string_view head, const Rows& rows) {
  const std::size_t room = text_.size() < length_max_ ? (length_max_ - text_.size()) / 2 : 0;
  const std::size_t end = text_.size() + room;
  text_ += head;
  std::size_t written = 0;
  for (; written < rows.count; ++written) {
    const std::string row = rows.row(written);
    if (text_.size() + row.size() > end) break;
    text_ += row;
  }
  text_ += '\n';
  if (written < rows.count) {
    text_ +=
        fmt::format("*{} more of {} rows are left out: a comment holds no more. The document has all.*\n\n",
                    rows.count - written, rows.count);
  }
}

void MarkdownText::add_table(std::string_view title, std::string_view head, const Rows& rows) {
  if (rows.count == 0) return;
  if (!title.empty()) text_ += fmt::format("{}\n\n", title);
  add_rows(head, rows);
}

void MarkdownText::fold_table(std::string_view title, std::string_view head, const Rows& rows) {
  if (rows.count == 0) return;
  text_ += fmt::format("<details><summary>{} ({})</summary>\n\n", title, rows.count);
  add_rows(head, rows);
  text_ += "</details>\n\n";
}

}  // namespace graphbench::reporters
