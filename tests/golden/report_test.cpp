// Prints every committed document in each format, and finds each number of its Report in all of them.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "graphs/base/text.hpp"
#include "harness/bill/bill_table.hpp"
#include "harness/judge/history/history.hpp"
#include "harness/judge/report/formats.hpp"
#include "harness/ladder/ladder_table.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/sweep/report/result_report.hpp"
#include "tests/golden/sample_comparisons.hpp"
#include "tests/golden/sample_ladders.hpp"
#include "tests/golden/sample_results.hpp"

namespace graphbench::reporters {
namespace {

std::vector<std::string> lines_of(const Report& report, const char* format) {
  std::ostringstream out;
  format_named(format, true).print(out, report, {.width = 10'000});
  return split(std::move(out).str(), '\n');
}

std::vector<std::string> fields_of_line(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '"') {
      fields.back() += c;
    }
  }
  return fields;
}

// Numbers of a text column are not shown as numbers; those of a text are not exact, so digits are compared.
double seconds_of(const std::string& text) {
  const std::map<std::string, double> units = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  const std::size_t unit = text.find_first_not_of("-.0123456789");
  return std::stod(text.substr(0, unit)) * units.at(text.substr(unit));
}

bool contains_in_order(const std::string& line, const std::vector<std::string>& texts) {
  std::size_t at = 0;
  for (const std::string& text : texts) {
    at = line.find(text, at);
    if (at == std::string::npos) return false;
    at += text.size();
  }
  return true;
}

bool any_contains(const std::vector<std::string>& lines, const std::vector<std::string>& texts) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return contains_in_order(line, texts); });
}

// Returns how many numbers were looked for.
std::size_t expect_the_same_numbers(const Report& report, const std::string& name) {
  SCOPED_TRACE(name);
  const std::vector<std::string> console = lines_of(report, "table");
  const std::vector<std::string> page = lines_of(report, "markdown");
  const std::vector<std::string> sheet = lines_of(report, "csv");
  const std::vector<std::string> head = fields_of_line(sheet.front());
  std::size_t numbers = 0;
  std::size_t line = 1;
  for (const Section& section : report.sections) {
    for (const Row& row : section.rows) {
      std::vector<std::string> on_console;
      std::vector<std::string> on_page;
      std::map<double, bool> in_csv;
      if (section.in_csv && !section.columns.empty() && !(section.across && row.repeated)) {
        const std::vector<std::string> fields = fields_of_line(sheet.at(line++));
        EXPECT_EQ(head.size(), fields.size()) << sheet.at(line - 1);
        for (const std::string& field : fields) {
          if (const std::optional<double> number = to_number<double>(field)) in_csv[*number] = true;
        }
      }
      for (std::size_t i = 0; i < section.columns.size(); ++i) {
        const Column& column = section.columns[i];
        const Value& value = row.values[i];
        if (column.align != Align::right || !value.value) continue;
        ++numbers;
        const bool text_only = column.shown == Shown::as_text || column.shown == Shown::console;
        if (!in_csv.empty() && !text_only) {
          EXPECT_TRUE(in_csv.contains(*value.value)) << row.name << " " << column.name;
        }
        if (value.text.empty()) continue;
        if (column.shown != Shown::as_data) on_console.push_back(value.text);
        if (column.shown == Shown::everywhere && i > section.across.value_or(0))
          on_page.push_back(value.text);
        if (column.unit != "seconds" || value.text == "-") continue;
        const double shown = seconds_of(value.text);
        EXPECT_NEAR(shown, *value.value, std::max(0.005 * std::abs(shown), 0.6e-9)) << column.name;
      }
      if (section.rows_max > section.rows.size() && !row.repeated) {
        EXPECT_TRUE(any_contains(console, on_console)) << row.name;
      }
      if (report.page_bytes_max > comment_bytes_max) {
        EXPECT_TRUE(any_contains(page, on_page)) << row.name;
      }
    }
  }
  return numbers;
}

TEST(Report, HasTheNumbersOfACommittedResultInEveryFormat) {
  std::size_t documents = 0;
  const std::filesystem::path source = GRAPHBENCH_SOURCE_FOLDER;
  for (const char* const folder : {"ci/baselines", "tests/golden/json"}) {
    for (const auto& entry : std::filesystem::directory_iterator(source / folder)) {
      const std::string path = entry.path().string();
      const model::PaddedText text = model::read_text(path);
      if (text.view().find("\"graphbench.result/1\"") > 100) continue;
      EXPECT_GT(expect_the_same_numbers(sweep::report_of(model::read_result(text.view(), path)), path), 10u);
      ++documents;
    }
  }
  EXPECT_GE(documents, 7u);
}

TEST(Report, HasTheNumbersOfAComparisonInEveryFormat) {
  Report report = judge::report_of(samples::mixed_comparison());
  EXPECT_GT(expect_the_same_numbers(report, "mixed"), 100u);
  report.page_bytes_max = 10 * comment_bytes_max;
  EXPECT_GT(expect_the_same_numbers(report, "mixed, on a page"), 100u);
}

TEST(Report, HasTheNumbersOfLaddersAndBillsInEveryFormat) {
  const Report ladders = report_of(samples::served_ladders());
  EXPECT_GT(expect_the_same_numbers(ladders, "ladders"), 10u);
  EXPECT_GT(expect_the_same_numbers(report_of(std::vector{samples::measured_bill()}), "bills"), 20u);
  EXPECT_GT(expect_the_same_numbers(report_of(samples::changed_series()), "series"), 30u);
}

TEST(Report, HasTheNumbersOfFloorsInEveryFormat) {
  EXPECT_GT(expect_the_same_numbers(sweep::report_of(samples::instruments_result().environment), "floors"),
            3u);
}

}  // namespace
}  // namespace graphbench::reporters
