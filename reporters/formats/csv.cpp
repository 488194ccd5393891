// Prints a Report as CSV.
#include <algorithm>

#include "graphs/base/text.hpp"
#include "reporters/report.hpp"

namespace graphbench::reporters {
namespace {

// "BASE" in seconds is "base_seconds".
std::string key_of(const Column& column) {
  if (!column.key.empty()) return column.key;
  std::string key;
  for (const char c : column.name)
    key += c == ' ' || c == '-' ? '_' : c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
  return column.unit == "seconds" || column.unit == "bytes" ? key + "_" + column.unit : key;
}

std::string number(const std::optional<double>& value) {
  return value ? shortest_text(*value) : "";
}

// The columns of a section in CSV, in their order there.
std::vector<std::size_t> places_of(const Section& section) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < section.columns.size(); ++i) {
    const Shown shown = section.columns[i].shown;
    if (shown != Shown::as_text && shown != Shown::console) places.push_back(i);
  }
  std::ranges::stable_sort(places, {}, [&](std::size_t i) { return section.columns[i].csv_place; });
  return places;
}

std::vector<std::string> keys_of(const Section& section) {
  std::vector<std::string> keys;
  for (const std::size_t i : places_of(section)) {
    const std::string key = key_of(section.columns[i]);
    keys.push_back(key);
    if (!section.columns[i].intervals) continue;
    keys.push_back(key + ".ci95_low");
    keys.push_back(key + ".ci95_high");
  }
  return keys;
}

// The fields of a row, in the order of keys_of().
std::vector<std::string> fields_of(const Section& section, const Row& row) {
  std::vector<std::string> fields;
  for (const std::size_t i : places_of(section)) {
    const Column& column = section.columns[i];
    const Value& value = row.values[i];
    const std::string text = value.text == "-" ? "" : csv_field(value.text);
    fields.push_back(column.align == Align::right ? number(value.value) : text);
    if (!column.intervals) continue;
    fields.push_back(number(value.low));
    fields.push_back(number(value.high));
  }
  return fields;
}

// One table of all rows, under one head: a column has a number in full precision and in its unit.
void print_csv(std::ostream& out, const Report& report, const PrintOptions&) {
  std::vector<const Section*> sections;
  for (const Section& section : report.sections) {
    if (section.in_csv && !section.columns.empty()) sections.push_back(&section);
  }
  std::vector<std::string> head;
  bool alike = true;
  for (const Section* section : sections) {
    const std::vector<std::string> keys = keys_of(*section);
    alike = alike && keys == keys_of(*sections.front());
    for (const std::string& key : keys) {
      if (!contains(head, key)) head.push_back(key);
    }
  }
  // Where sections differ, one column has the section, and another the note.
  out << (alike ? "" : "section,") << join(head, ",") << (alike ? "" : ",note") << '\n';
  for (const Section* section : sections) {
    const std::vector<std::string> keys = keys_of(*section);
    for (const Row& row : section->rows) {
      if (row.repeated && section->across) continue;
      const std::vector<std::string> fields = fields_of(*section, row);
      std::vector<std::string> line(head.size());
      for (std::size_t i = 0; i < keys.size(); ++i)
        line[static_cast<std::size_t>(std::ranges::find(head, keys[i]) - head.begin())] = fields[i];
      out << (alike ? "" : csv_field(section->subject) + ",") << join(line, ",")
          << (alike ? "" : "," + csv_field(row.note)) << '\n';
    }
  }
}

}  // namespace

Format csv_format() {
  return {.name = "csv", .what = "numbers for a spreadsheet", .print = print_csv, .place = 2};
}

}  // namespace graphbench::reporters
