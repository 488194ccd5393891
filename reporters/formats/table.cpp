// Prints a Report as text for a terminal: plain tables, and tables whose rows stand side by side.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "graphs/base/text.hpp"
#include "reporters/report.hpp"

namespace graphbench::reporters {
namespace {

constexpr int name_width_max = 56;
constexpr std::string_view bar = " |";

std::optional<Colour> colour_of(Weight weight) {
  switch (weight) {
    case Weight::quiet:
      return Colour::dim;
    case Weight::good:
      return Colour::green;
    case Weight::undecided:
    case Weight::notice:
      return Colour::yellow;
    case Weight::regression:
      return Colour::red;
    case Weight::normal:
      break;
  }
  return std::nullopt;
}

// One column of characters: a column's texts or its intervals.
struct Field {
  const Column* column;
  std::size_t index;
  bool range = false;
  int width = 0;

  const std::string& name() const { return range ? column->range_name : column->name; }
  const std::string& text(const Row& row) const {
    return range ? row.values[index].range : row.values[index].text;
  }
  std::string heading() const {
    return column->align == Align::left ? left(name(), width) : right(name(), width);
  }
  std::string shown(const Row& row, bool colours) const {
    const std::string fitted =
        column->align == Align::left ? left(text(row), width) : right(text(row), width);
    const std::optional<Colour> colour = colour_of(row.values[index].weight);
    return colour && !range ? paint(fitted, *colour, colours) : fitted;
  }
};

using Fields = std::vector<Field>;
using Rows = std::vector<const Row*>;

// The fields that some row has a text for. `gap`: blanks between columns.
Fields fields_of(const std::vector<Column>& columns, const Rows& rows, int gap) {
  Fields fields;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    if (column.shown == Shown::as_data) continue;
    for (const bool range : {false, true}) {
      if (range && column.range_name.empty()) continue;
      Field field{&column, i, range};
      int widest = 0;
      for (const Row* row : rows) widest = std::max(widest, columns_of(one_line(field.text(*row))));
      if (widest == 0) continue;
      widest = std::max(widest, columns_of(field.name()));
      if (column.align == Align::left) widest = std::min(widest, name_width_max);
      field.width = std::max(widest + gap, range ? 0 : column.width);
      fields.push_back(field);
    }
  }
  return fields;
}

int width_of(const Fields& fields) {
  int width = 0;
  for (const Field& field : fields) width += field.width;
  return width;
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string headings(const Fields& fields) {
  return join(fields, "", &Field::heading);
}

class Console {
 public:
  Console(std::ostream& out, const Report& report, const PrintOptions& options)
      : out_(out), report_(report), options_(options) {}

  void print() {
    if (!report_.title.text.empty()) out_ << sentence(report_.title, Colour::bold) << "\n\n";
    for (const Sentence& each : report_.head) line(sentence(each));
    const bool plain = !report_.sections.empty() && !report_.sections.front().across;
    if (plain && !report_.head.empty()) line("");
    for (std::size_t i = 0; i < report_.sections.size(); ++i) {
      if (!report_.sections[i].across) {
        print_plain(report_.sections[i]);
        continue;
      }
      const std::size_t first = i;
      while (i + 1 < report_.sections.size() && report_.sections[i + 1].across) ++i;
      print_side_by_side({report_.sections.begin() + static_cast<std::ptrdiff_t>(first),
                          report_.sections.begin() + static_cast<std::ptrdiff_t>(i + 1)});
      if (i + 1 < report_.sections.size()) line("");
    }
    for (const Sentence& each : report_.closing) line(sentence(each));
    print_cards(out_, report_.conclusions, options_);
  }

 private:
  void line(const std::string& text) { out_ << text << '\n'; }

  std::string painted(std::string_view text, Weight weight,
                      const std::optional<Colour>& usual = std::nullopt) const {
    const std::optional<Colour> own = colour_of(weight);
    const std::optional<Colour>& colour = own ? own : usual;
    return colour ? paint(text, *colour, options_.colours) : std::string(text);
  }

  std::string sentence(const Sentence& each, const std::optional<Colour>& usual = std::nullopt) const {
    if (each.lead.empty()) return painted(one_line(each.text), each.weight, usual);
    return painted(one_line(each.lead) + ":", each.weight, Colour::bold) + " " + one_line(each.text);
  }

  void print_heading(const Section& section) {
    line(painted(one_line(section.subject), section.weight, Colour::bold) + one_line(section.detail));
  }

  void print_plain(const Section& section) {
    if (section.rows.empty() && section.sentences.empty()) return;
    print_heading(section);
    Rows rows;
    std::size_t more = 0;
    for (const Row& row : section.rows) {
      if (row.repeated) continue;
      rows.size() < section.rows_max ? rows.push_back(&row) : static_cast<void>(++more);
    }
    if (section.rows_max > 0) print_rows(section, rows);
    for (const Sentence& each : section.sentences) line("  " + sentence(each));
    if (section.rows_max > 0 && more > 0)
      line("  " +
           paint(fmt::format("and {} more; --format json shows all", more), Colour::dim, options_.colours));
    line("");
  }

  void print_rows(const Section& section, const Rows& rows) {
    const Fields fields = fields_of(section.columns, rows, 0);
    if (fields.empty()) return;
    const bool texts = fields.back().column->align == Align::left;
    // A table of two texts needs no head.
    const bool bare = fields.size() <= 2 && texts;
    if (!bare)
      line("  " + paint(trimmed(join(fields, "  ", &Field::heading)), Colour::dim, options_.colours));
    const std::string& note = rows.front()->note;
    const bool common =
        rows.size() > 1 && std::ranges::all_of(rows, [&](const Row* row) { return row->note == note; });
    for (const Row* row : rows) {
      line(trimmed("  " + join(fields, "  ", [&](const Field& field) {
                     // The last text of a line is not cut.
                     const bool whole = &field == &fields.back() && texts;
                     return whole ? painted(one_line(field.text(*row)), row->values[field.index].weight)
                                  : field.shown(*row, options_.colours);
                   })));
      if (!common) print_note(row->note, "    ");
    }
    if (common) print_note(note, "  ");
  }

  void print_note(const std::string& note, const char* indent) {
    if (!note.empty()) line(indent + paint(one_line(note), Colour::dim, options_.colours));
  }

  // --- rows side by side ---

  struct Layout {
    std::size_t across = 0;
    std::string across_name;
    std::vector<std::string> groups;  // the values that stand side by side
    Fields head;
    Fields fields;  // of all groups
    std::map<std::string, Fields> of_group;
    std::map<std::string, int> group_widths_min;  // for the group's name, and words in place of numbers
    int group_width = 0;                          // of a group's name, where each has its own line
    bool wide = true;

    int wide_width() const {
      int width = width_of(head);
      for (const std::string& group : groups) width += width_of_group(group) + static_cast<int>(bar.size());
      return width;
    }
    int width_of_group(const std::string& group) const {
      return std::max(width_of(of_group.at(group)), group_widths_min.at(group));
    }
    int narrow_width() const { return width_of(head) + group_width + width_of(fields); }
    void leave_out(const Column* column) {
      const auto is_it = [&](const Field& field) { return field.column == column; };
      std::erase_if(fields, is_it);
      for (auto& [group, own] : of_group) std::erase_if(own, is_it);
    }
  };

  Layout layout_of(const std::vector<Section>& sections) const {
    Layout layout;
    layout.across = *sections.front().across;
    layout.across_name = sections.front().columns[layout.across].name;
    layout.group_width = columns_of(layout.across_name) + 2;
    Rows rows;
    std::map<std::string, Rows> by_group;
    for (const Section& section : sections) {
      for (const Row& row : section.rows) {
        const std::string& group = row.values[layout.across].text;
        if (!contains(layout.groups, group)) layout.groups.push_back(group);
        rows.push_back(&row);
        by_group[group].push_back(&row);
        int& least = layout.group_widths_min[group];
        least = std::max({least, columns_of(one_line(group)) + 1, columns_of(" " + first_word(row.instead))});
      }
    }
    const std::vector<Column>& columns = sections.front().columns;
    for (Field& field : fields_of(columns, rows, 1)) {
      if (field.index == layout.across) continue;
      (field.index < layout.across ? layout.head : layout.fields).push_back(field);
    }
    // Nothing stands before the first column.
    if (!layout.head.empty())
      layout.head[0].width = std::max(layout.head[0].width - 1, layout.head[0].column->width);
    for (const std::string& group : layout.groups) {
      layout.group_width = std::max(layout.group_width, columns_of(one_line(group)) + 2);
      Fields& own = layout.of_group[group];
      for (const Field& field : fields_of(columns, by_group[group], 1)) {
        const auto same = std::ranges::find_if(layout.fields, [&](const Field& each) {
          return each.index == field.index && each.range == field.range;
        });
        if (same != layout.fields.end()) own.push_back(*same);
      }
    }
    fit(layout);
    return layout;
  }

  // Leaves out spare columns, the last one first, until the table fits the width.
  void fit(Layout& layout) const {
    std::vector<const Column*> spare;
    for (const Field& field : layout.fields) {
      if (field.column->spare && !field.range) spare.push_back(field.column);
    }
    Layout fewest = layout;
    for (const Column* column : spare) fewest.leave_out(column);
    layout.wide = fewest.wide_width() <= options_.width;
    const auto needed = [&] { return layout.wide ? layout.wide_width() : layout.narrow_width(); };
    for (; needed() > options_.width && !spare.empty(); spare.pop_back()) layout.leave_out(spare.back());
  }

  void print_legend(const Layout& layout) {
    const auto width = static_cast<std::size_t>(std::clamp(options_.width, 92, 118));
    std::string text;
    const auto add = [&](const Field& field) {
      if (field.column->help.empty() || field.range) return;
      const std::string entry = field.column->name + ": " + field.column->help;
      if (!text.empty() && text.size() + 3 + entry.size() > width) line(std::exchange(text, ""));
      text += (text.empty() ? "" : "   ") + entry;
    };
    for (const Field& field : layout.head) add(field);
    for (const Field& field : layout.fields) add(field);
    if (!text.empty()) line(text);
    line("");
  }

  void print_side_by_side(const std::vector<Section>& sections) {
    const Layout layout = layout_of(sections);
    print_legend(layout);
    // Repeats the head before a section that would exceed this many rows below the last head.
    constexpr std::size_t rows_below_head = 40;
    std::size_t count = rows_below_head;
    for (const Section& section : sections) {
      std::vector<std::vector<const Row*>> rows;  // by the values of their head
      for (const Row& row : section.rows) {
        const auto same = [&](const std::vector<const Row*>& known) {
          return std::ranges::all_of(
              layout.head, [&](const Field& field) { return field.text(*known.front()) == field.text(row); });
        };
        auto place = std::ranges::find_if(rows, same);
        if (place == rows.end()) place = rows.emplace(rows.end());
        place->push_back(&row);
      }
      print_heading(section);
      if (!layout.wide || count + rows.size() > rows_below_head) {
        print_head(layout);
        count = 0;
      }
      for (const auto& each : rows) layout.wide ? print_wide(layout, each) : print_narrow(layout, each);
      count += rows.size();
    }
  }

  void print_head(const Layout& layout) {
    std::string names = headings(layout.head);
    if (!layout.wide) {
      line(paint(names + left("  " + layout.across_name, layout.group_width) + headings(layout.fields),
                 Colour::dim, options_.colours));
      return;
    }
    std::string groups = right("", width_of(layout.head));
    for (const std::string& group : layout.groups) {
      const Fields& own = layout.of_group.at(group);
      const int width =
          &group == &layout.groups.back() ? columns_of(group) + 1 : layout.width_of_group(group);
      groups += std::string(bar) + paint(left(" " + group, width), Colour::bold, options_.colours);
      names += std::string(bar) + left(headings(own), layout.width_of_group(group));
    }
    line(groups);
    line(paint(names, Colour::dim, options_.colours));
  }

  static std::string first_word(const std::string& text) { return one_line(text.substr(0, text.find(' '))); }

  std::string numbers(const Row& row, const Fields& fields, const Fields& own, int width) const {
    if (!row.instead.empty()) {
      // A line below the table has the whole code: one that does not fit is left out, not cut.
      const std::string whole = " " + one_line(row.instead);
      return painted(right(columns_of(whole) <= width ? whole : first_word(row.instead), width), row.weight);
    }
    std::string text;
    for (const Field& field : fields) {
      const bool has = std::ranges::any_of(
          own, [&](const Field& each) { return each.index == field.index && each.range == field.range; });
      text += has ? field.shown(row, options_.colours) : right("", field.width);
    }
    return text + std::string(static_cast<std::size_t>(std::max(width - width_of(fields), 0)), ' ');
  }

  std::string head_of(const Layout& layout, const Row& row) const {
    return join(layout.head, "", [&](const Field& field) { return field.shown(row, options_.colours); });
  }

  void print_wide(const Layout& layout, const Rows& rows) {
    std::string text = head_of(layout, *rows.front());
    for (const std::string& group : layout.groups) {
      const Fields& own = layout.of_group.at(group);
      const int width = layout.width_of_group(group);
      const auto row = std::ranges::find_if(
          rows, [&](const Row* each) { return each->values[layout.across].text == group; });
      text += std::string(bar) + (row == rows.end() ? right("", width) : numbers(**row, own, own, width));
    }
    line(text);
  }

  void print_narrow(const Layout& layout, const Rows& rows) {
    for (const Row* row : rows) {
      const std::string& group = row->values[layout.across].text;
      line(trimmed(head_of(layout, *row) + left("  " + group, layout.group_width) +
                   numbers(*row, layout.fields, layout.of_group.at(group),
                           std::max(width_of(layout.fields), layout.group_widths_min.at(group)))));
    }
  }

  std::ostream& out_;
  const Report& report_;
  const PrintOptions& options_;
};

// Breaks text into lines of at most `width` columns. Those after the first begin with `indent` blanks more
// than it.
std::string wrapped(std::string_view text, int width, int first, int indent) {
  std::string lines(static_cast<std::size_t>(first), ' ');
  const std::string next = '\n' + std::string(static_cast<std::size_t>(first + indent), ' ');
  int column = first;
  bool begins = true;
  for (const std::string& word : split(text, ' ')) {
    if (!begins && column + 1 + columns_of(word) > width) {
      lines += next;
      column = first + indent;
    } else if (!begins) {
      lines += ' ';
      ++column;
    }
    begins = false;
    lines += word;
    column += columns_of(word);
  }
  return lines;
}

// The sections in their order, long ones cut, conclusions last.
void print_console(std::ostream& out, const Report& report, const PrintOptions& options) {
  Console(out, report, options).print();
}

}  // namespace

void print_cards(std::ostream& out, const std::vector<Card>& cards, const PrintOptions& options) {
  const auto print = [&](const std::string& lead, const std::string& text, int indent, Colour colour) {
    const std::string lines = wrapped(one_line(lead + ": " + text), options.width, indent, 2);
    const std::size_t end = static_cast<std::size_t>(indent) + one_line(lead).size() + 1;
    const std::string rest = lines.substr(end);
    out << paint(lines.substr(0, end), colour, options.colours)
        << (colour == Colour::dim ? paint(rest, colour, options.colours) : rest) << '\n';
  };
  for (const Card& card : cards) {
    print(card.subject, card.verdict, 0, Colour::bold);
    for (const Sentence& line : card.lines) print(line.lead, line.text, 2, Colour::bold);
    if (!card.details.empty()) print("details", card.details, 2, Colour::dim);
  }
}

Format table_format() {
  return {.name = "table", .what = "text for a terminal", .print = print_console, .place = 0};
}

}  // namespace graphbench::reporters
