// Columns as wide as their widest value: people copy from this table.
#include "reporters/console/history_list.hpp"

#include <algorithm>
#include <string>

#include "reporters/console/format.hpp"

namespace graphbench::reporters {
namespace {

using Row = std::vector<std::string>;

constexpr std::size_t hash_digits = 8;
constexpr std::size_t commit_digits = 12;

Row row_of(const model::HistoryEntry& entry) {
  return {std::to_string(entry.id),
          one_line(entry.started_at),
          one_line(entry.label.branch),
          one_line(entry.label.commit.substr(0, commit_digits)),
          one_line(entry.label.label),
          one_line(entry.device),
          one_line(entry.fingerprint.substr(0, hash_digits)),
          one_line(entry.plan_hash.substr(0, hash_digits)),
          std::to_string(entry.cells),
          std::to_string(entry.launches) + (entry.complete ? "" : " (interrupted)")};
}

int columns_of(const std::string& text) {
  return static_cast<int>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

void print_entries(std::ostream& out, const std::vector<model::HistoryEntry>& entries, bool colours) {
  std::vector<Row> rows = {
      {"id", "started", "branch", "commit", "label", "device", "environment", "plan", "cells", "launches"}};
  for (const model::HistoryEntry& entry : entries) rows.push_back(row_of(entry));
  std::vector<int> widths(rows.front().size(), 1);
  for (Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i].empty()) row[i].push_back('-');
      widths[i] = std::max(widths[i], columns_of(row[i]));
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string line;
    for (std::size_t column = 0; column < widths.size(); ++column)
      line += (column > 0 ? "  " : "") + left(rows[i][column], widths[column]);
    line.erase(line.find_last_not_of(' ') + 1);
    out << (i == 0 ? paint(line, Colour::bold, colours) : line) << '\n';
  }
}

}  // namespace graphbench::reporters
