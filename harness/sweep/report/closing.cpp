// Prints the lines below the table: cells without numbers, notes, the count of cells, and the conclusions.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "graphs/base/text.hpp"
#include "harness/model/findings/findings.hpp"
#include "harness/model/findings/groups.hpp"
#include "harness/sweep/report/table.hpp"
#include "reporters/format.hpp"

namespace graphbench::reporters {
namespace {

struct Counts {
  std::int64_t ok = 0;
  std::int64_t failed = 0;
  std::int64_t skipped = 0;
  std::int64_t not_measured = 0;  // left out when the sweep was interrupted
};

Counts count(const model::Result& result) {
  Counts counts;
  for (const model::CellResult& cell : result.cells) {
    if (cell.status == model::CellStatus::ok) {
      ++counts.ok;
    } else if (cell.status == model::CellStatus::failed) {
      ++counts.failed;
    } else if (!cell.reason || cell.reason->code == "interrupted") {
      ++counts.not_measured;
    } else {
      ++counts.skipped;
    }
  }
  return counts;
}

struct Trouble {
  bool failed = false;
  std::string code;
  std::string message;
  std::string first_id;
  std::int64_t cells = 0;
};

std::vector<Trouble> troubles_of(const model::Result& result) {
  std::vector<Trouble> troubles;
  for (const model::CellResult& cell : result.cells) {
    if (cell.status == model::CellStatus::ok) continue;
    Trouble trouble{cell.status == model::CellStatus::failed, "interrupted",
                    "the sweep ended before this cell was measured", one_line(model::id_of(cell.cell)), 1};
    if (cell.reason) {
      trouble.code = one_line(cell.reason->code);
      trouble.message = one_line(cell.reason->message);
    }
    const auto same = [&](const Trouble& other) {
      return std::tie(other.failed, other.code, other.message) ==
             std::tie(trouble.failed, trouble.code, trouble.message);
    };
    const auto known = std::find_if(troubles.begin(), troubles.end(), same);
    if (known == troubles.end()) {
      troubles.push_back(trouble);
    } else {
      ++known->cells;
    }
  }
  return troubles;
}

std::string wrapped(std::string_view text, int width) {
  std::string lines;
  int column = 0;
  for (const std::string& word : split(text, ' ')) {
    if (column > 0 && column + 1 + columns_of(word) > width) {
      lines += "\n  ";
      column = 2;
    } else if (column > 0) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += columns_of(word);
  }
  return lines;
}

}  // namespace

void print_troubles(std::ostream& out, const model::Result& result, const TableOptions& options) {
  for (const Trouble& trouble : troubles_of(result)) {
    const std::string head = fmt::format("{} {}:", trouble.failed ? "failed" : "skipped", trouble.code);
    const std::string where =
        trouble.cells == 1
            ? trouble.first_id
            : fmt::format("{}, first {}", model::plural(trouble.cells, "cell"), trouble.first_id);
    out << paint(head, trouble.failed ? Colour::red : Colour::yellow, options.colours) << ' '
        << trouble.message << " (" << where << ")\n";
  }
}

// Prints at most three lines: how far to trust the result, the most important note, the codes of the other
// notes.
void print_notes(std::ostream& out, const std::vector<model::Note>& notes, const TableOptions& options) {
  constexpr std::size_t lines_max = 3;
  const bool all = notes.size() <= lines_max;
  for (std::size_t i = 0; i < (all ? notes.size() : lines_max - 1); ++i) {
    const bool good = notes[i].code == "trust_high";
    const bool judges = good || notes[i].code == "trust_low";
    const std::string text = (judges ? "" : "note: ") + one_line(notes[i].text);
    out << paint(text.substr(0, text.find(':') + 1), good ? Colour::green : Colour::yellow, options.colours)
        << text.substr(text.find(':') + 1) << '\n';
  }
  if (all) return;
  const std::vector<model::Note> rest(notes.begin() + (lines_max - 1), notes.end());
  out << fmt::format("{} {} more (`notes` in the document): {}\n",
                     paint("note:", Colour::yellow, options.colours), std::ssize(rest),
                     join(rest, ", ", &model::Note::code));
}

void print_closing(std::ostream& out, const model::Result& result, const TableOptions& options) {
  print_notes(out, model::notes_of(result), options);
  const Counts counts = count(result);
  std::string line =
      fmt::format("{}: {} ok, {} failed, {} skipped", model::plural(std::ssize(result.cells), "cell"),
                  counts.ok, counts.failed, counts.skipped);
  if (counts.not_measured > 0) line += fmt::format(", {} not measured", counts.not_measured);
  const Colour colour = counts.failed > 0 ? Colour::red : Colour::green;
  out << paint(line, colour, options.colours);
  if (!options.json_path.empty()) out << "; the result is in " << options.json_path;
  out << '\n';
  print_conclusions(out, result, options);
}

void print_conclusions(std::ostream& out, const model::Result& result, const TableOptions& options) {
  std::string subject;
  std::string paragraph;
  const auto end_paragraph = [&] {
    if (paragraph.empty()) return;
    const std::string lines = wrapped(std::exchange(paragraph, ""), options.width);
    const std::size_t head = subject.size() + 1;
    out << paint(lines.substr(0, head), Colour::bold, options.colours) << lines.substr(head) << '\n';
  };
  for (const model::Conclusion& conclusion : model::conclusions_of(result)) {
    const std::string of = one_line(conclusion.subject);
    if (of != subject) end_paragraph();
    subject = of;
    paragraph += (paragraph.empty() ? subject + ": " : " ") + one_line(conclusion.text);
  }
  end_paragraph();
}

}  // namespace graphbench::reporters
