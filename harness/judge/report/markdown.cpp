// Writes GitHub-flavoured Markdown, with the most urgent section first.
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/judge/report/formats.hpp"
#include "harness/judge/report/words.hpp"
#include "reporters/format.hpp"

namespace graphbench::reporters {
namespace {

constexpr std::size_t code_length_max = 240;
constexpr std::size_t prose_length_max = 500;

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

using model::Comparison;
using model::Verdict;

// Bytes for everything except rows: titles, counts of omitted rows, and the section "How to read this".
constexpr std::size_t reserved = 6144;

constexpr std::string_view change_head =
    "| cell | metric | base | new | ratio | 95 % interval | finds | q | verdict |\n"
    "| --- | --- | ---: | ---: | ---: | --- | ---: | ---: | --- |\n";
constexpr std::string_view means_head =
    "| mode | metric | cells | base | new | ratio | 95 % interval | finds | q | verdict |\n"
    "| --- | --- | ---: | ---: | ---: | ---: | --- | ---: | ---: | --- |\n";
constexpr std::string_view inconclusive_head =
    "| cell | metric | base | new | ratio | 95 % interval | finds | why |\n"
    "| --- | --- | ---: | ---: | ---: | --- | ---: | --- |\n";
constexpr std::string_view coverage_head = "| cell | outcome |\n| --- | --- |\n";

template <typename Item, typename Write>
MarkdownText::Rows rows_of(std::vector<Item> items, Write write) {
  const std::size_t count = items.size();
  return {count, [items = std::move(items), write](std::size_t i) { return write(items[i]); }};
}

std::string numbers_of(const model::MetricComparison& metric) {
  return fmt::format("{} | {} | {} | {} | {} |", format_seconds(metric.base_seconds),
                     format_seconds(metric.new_seconds), ratio_text(metric.ratio), interval_text(metric),
                     as_prose(finds_text(metric)));
}

std::string cells_of(const Finding& found) {
  return fmt::format("| {} | {} | {}", as_code(found.cell->id), name_of(found.metric->metric),
                     numbers_of(*found.metric));
}

std::string verdict_of(const model::MetricComparison& metric, const std::string& verdict) {
  return fmt::format(" {} | {} |\n", q_text(metric.q),
                     metric.verdict == Verdict::slower ? "**" + verdict + "**" : verdict);
}

MarkdownText::Rows mean_rows(const Comparison& comparison) {
  return rows_of(comparison.means, [](const model::MeanComparison& mean) {
    return fmt::format("| {} | {} | {} | {}{}", as_prose(mean.mode), name_of(mean.metric.metric), mean.cells,
                       numbers_of(mean.metric), verdict_of(mean.metric, verdict_text(mean)));
  });
}

MarkdownText::Rows change_rows(std::vector<Finding> found) {
  return rows_of(std::move(found), [](const Finding& each) {
    return cells_of(each) + verdict_of(*each.metric, name_of(each.metric->verdict));
  });
}

MarkdownText::Rows inconclusive_rows(const Comparison& comparison) {
  return rows_of(findings(comparison, Verdict::inconclusive), [](const Finding& each) {
    return fmt::format("{} {} |\n", cells_of(each), as_prose(each.metric->why));
  });
}

MarkdownText::Rows launch_rows(const Comparison& comparison) {
  std::vector<std::string> texts = odd_launch_texts(comparison);
  for (const model::MeanComparison& mean : comparison.means) {
    if (mean.less_steady)
      texts.push_back(std::string(model::less_steady_word) + ": " + less_steady_text(mean));
  }
  return rows_of(std::move(texts), [](const std::string& text) { return "- " + as_prose(text) + "\n"; });
}

using CellText = std::string (*)(const model::CellComparison&);

template <typename Choose>
MarkdownText::Rows cell_rows(const Comparison& comparison, CellText text, Choose&& is_shown) {
  std::vector<const model::CellComparison*> cells;
  for (const model::CellComparison& cell : comparison.cells) {
    if (is_shown(cell)) cells.push_back(&cell);
  }
  return rows_of(std::move(cells), [text](const model::CellComparison* cell) {
    return fmt::format("| {} | {} |\n", as_code(cell->id), as_prose(text(*cell)));
  });
}

MarkdownText::Rows coverage_rows(const Comparison& comparison, bool lost) {
  return cell_rows(comparison, &coverage_text, [lost](const model::CellComparison& cell) {
    return has_gaps(cell) && cell.regression == lost;
  });
}

MarkdownText::Rows said_rows(const Comparison& comparison, CellText text) {
  return cell_rows(comparison, text, [text](const auto& cell) { return !text(cell).empty(); });
}

MarkdownText::Rows difference_rows(const Comparison& comparison, bool in_the_way) {
  std::vector<const model::Difference*> differences;
  for (const model::Difference& each : comparison.differences) {
    if ((each.blocking && !each.allowed) == in_the_way) differences.push_back(&each);
  }
  return rows_of(std::move(differences), [](const model::Difference* difference) {
    return fmt::format("- {}\n", as_prose(difference_text(*difference)));
  });
}

std::string heading_of(const Comparison& comparison) {
  if (!comparison.comparable) return "not comparable";
  if (comparison.counts.coverage_regressions > 0) {
    const bool cells = comparison.counts.coverage_regressions > comparison.counts.cells_lacking;
    return std::string(comparison.counts.slower > 0 ? "slower, and " : "") + (cells ? "cells" : "metrics") +
           " lost";
  }
  return name_of(comparison.verdict);
}

void write_head(MarkdownText& text, const Comparison& comparison) {
  // A workflow finds its own comment by this marker, and edits it instead of writing another comment.
  text.add("<!-- graphbench-compare -->\n");
  text.add(fmt::format("### graphbench: {}\n\n", heading_of(comparison)));
  text.add(as_prose(comparison.headline) + "\n\n");
  text.add(fmt::format("- BASE {}\n- NEW {}\n\n", as_prose(side_text(comparison.base)),
                       as_prose(side_text(comparison.now))));
}

void write_how_to_read(MarkdownText& text, const Comparison& comparison) {
  text.add("<details><summary>How to read this</summary>\n\n");
  text.add(
      "One launch (one process) gives one number per metric; the statistics use launches, never samples. "
      "*Ratio* is NEW over BASE, with its 95 % interval over launches; *q* is the p value corrected for the "
      "number of comparisons; *finds* is the smallest change that would be called slower in four of five "
      "comparisons, if launches spread as these did.\n\n- **slower**, **faster**: the change is larger than "
      "the margin, and chance does not explain it.\n- **same**: the whole interval lies within the "
      "margin.\n- **inconclusive**: these launches do not decide between the other verdicts; more launches "
      "can.\n\n");
  text.add(fmt::format("Limits: {}; {} tests{}.\n\n", as_prose(settings_text(comparison.settings)),
                       comparison.tests,
                       comparison.settings.strict ? "; strict: an inconclusive result fails" : ""));
  text.add("</details>\n");
}

void write_advice(MarkdownText& text, const Comparison& comparison) {
  const std::string detectable = detectable_text(comparison);
  if (!detectable.empty()) text.add("These launches " + as_prose(detectable) + ".\n\n");
  for (const std::string& line : advice(comparison)) text.add(as_prose(line) + "\n\n");
  const std::string power = power_text(comparison);
  if (!power.empty()) text.add(as_prose(power) + "\n\n");
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
    text_ += fmt::format(
        "*{} more of {} rows are left out, because the size of a comment is limited. The document has all "
        "rows.*\n\n",
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

void print_comparison_markdown(std::ostream& out, const Comparison& comparison, const FormatOptions&) {
  MarkdownText text(markdown_length_max - reserved);
  write_head(text, comparison);
  text.add_table("Differences that prevent a comparison:", "", difference_rows(comparison, true));
  std::vector<Finding> changes = findings(comparison, Verdict::slower);
  for (const Finding& faster : findings(comparison, Verdict::faster)) changes.push_back(faster);
  text.add_table("", change_head, change_rows(std::move(changes)));
  text.add_table("Measured in BASE and no longer in NEW:", coverage_head, coverage_rows(comparison, true));
  text.add_table("Means over the cells of a mode:", means_head, mean_rows(comparison));
  text.add_table("Launches that are far from the others, or that vary more than before:", "",
                 launch_rows(comparison));
  write_advice(text, comparison);

  text.fold_table("Differences of environment", "", difference_rows(comparison, false));
  text.fold_table("Changed counts, compared without statistics", coverage_head,
                  said_rows(comparison, &changes_text));
  text.fold_table("Throttled differently", coverage_head, said_rows(comparison, &throttle_text));
  text.fold_table("Inconclusive", inconclusive_head, inconclusive_rows(comparison));
  text.fold_table("Other cells that could not be compared, or only in some metrics", coverage_head,
                  coverage_rows(comparison, false));
  text.fold_table("Unchanged", change_head, change_rows(findings(comparison, Verdict::same)));
  write_how_to_read(text, comparison);
  out << std::move(text).take();
}

}  // namespace graphbench::reporters
