// Finds each number of a document's Report on the page: in the rows that report.html embeds, in the events of
// the service, and in the tables for browsers without scripts. A page shows their texts and draws their
// values.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "graphs/base/text.hpp"
#include "harness/bill/bill_fields.hpp"
#include "harness/bill/bill_table.hpp"
#include "harness/judge/history/history.hpp"
#include "harness/judge/report/formats.hpp"
#include "harness/ladder/ladder_table.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/service/report/numbers_json.hpp"
#include "harness/service/report/report.hpp"
#include "harness/sweep/report/result_report.hpp"
#include "tests/golden/sample_comparisons.hpp"
#include "tests/golden/sample_ladders.hpp"
#include "tests/golden/sample_results.hpp"

namespace graphbench::reporters {
namespace {

using nlohmann::json;

constexpr service::Page bare_page = {"<body><noscript></noscript><!--POLICY--><!--DOCUMENTS-->",
                                     "script-src 'self'"};

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin) + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

struct OnPage {
  json documents;
  std::string plain;  // what browsers without scripts show
};

OnPage page_of(const std::string& text) {
  const std::string html = service::make_report(bare_page, {{"document", text}});
  return {json::parse(between(html, "id=\"documents\">", "</script>")),
          between(html, "<noscript>", "</noscript>")};
}

struct Number {
  std::string text, range;
  std::optional<double> value, low, high;
  friend bool operator==(const Number&, const Number&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Number& number) {
    return out << number.text << " (" << number.value.value_or(-1) << ") " << number.range;
  }
};
// The numbers of cells by the cell's id and the metric's path.
using Numbers = std::map<std::string, std::map<std::string, Number>>;

Number number_of(const Value& value) {
  return {value.text, value.range == "-" ? "" : value.range, value.value, value.low, value.high};
}

Number number_of(const json& member) {
  const auto number = [&](const char* name) {
    return member.contains(name) ? std::optional(member.at(name).get<double>()) : std::nullopt;
  };
  return {member.at("text").get<std::string>(), member.value("range", ""), number("value"), number("low"),
          number("high")};
}

Number number_of_list(const json& list) {
  json member;
  const char* names[] = {"text", "value", "low", "high", "range"};
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_null()) member[names[i]] = list[i];
  }
  return number_of(member);
}

// The numbers that console, Markdown and CSV show. Neither "-" nor a blank is a number.
Numbers of_report(const Report& report) {
  Numbers numbers;
  for (const Section& section : report.sections) {
    if (!section.across) continue;
    for (const Row& row : section.rows) {
      for (std::size_t i = *section.across + 1; i < section.columns.size(); ++i) {
        const Value& value = row.values[i];
        const bool is_text = value.text.empty() || value.text == "-";
        if (section.columns[i].align == Align::right && (value.value || !is_text))
          numbers[row.values[0].text][section.columns[i].key] = number_of(value);
      }
    }
  }
  return numbers;
}

Numbers of_embedded(const json& result) {
  Numbers numbers;
  const json& columns = result.at("columns");
  for (const json& row : result.at("rows")) {
    for (std::size_t i = 4; i < row.size(); ++i) {
      if (!row[i].is_null()) numbers[row[0]][columns[i - 4]] = number_of_list(row[i]);
    }
  }
  return numbers;
}

Numbers of_events(const model::Result& result) {
  Numbers numbers;
  for (const model::CellResult& cell : result.cells) {
    const json event = json::parse(service::with_row(model::to_json(cell), "cell"));
    if (!event.contains("row")) continue;
    for (const auto& [metric, number] : event.at("row").items())
      numbers[event.at("id")][metric] = number_of(number);
  }
  return numbers;
}

// Returns how many numbers both have. Those of a page that a table leaves blank have their values there.
std::size_t expect_the_same(const Numbers& of_table, const Numbers& of_page, const char* what) {
  SCOPED_TRACE(what);
  std::set<std::string> of_pages;
  for (const model::MetricRow* metric : sweep::page_metrics()) of_pages.insert(path_of(*metric));
  std::size_t found = 0;
  for (const auto& [id, numbers] : of_table) {
    if (!of_page.contains(id)) {
      EXPECT_TRUE(std::ranges::none_of(numbers, [](const auto& each) { return !each.second.text.empty(); }))
          << id;
      continue;
    }
    for (const auto& [metric, number] : numbers) {
      if (!of_pages.contains(metric)) continue;
      const auto place = of_page.at(id).find(metric);
      if (place == of_page.at(id).end()) {
        ADD_FAILURE() << id << " lacks " << metric;
        continue;
      }
      Number shown = place->second;
      if (number.text.empty()) shown.text = shown.range = "";
      EXPECT_EQ(number, shown) << id << " " << metric;
      ++found;
    }
  }
  return found;
}

std::string escaped(std::string text) {
  if (text.starts_with('<')) text.replace(0, 1, "&#60;");
  return text;
}

// Each text of each row, in its order within a row of a table.
void expect_plain(const Report& report, const std::string& plain) {
  const std::vector<std::string> lines = split(plain, '\n');
  const std::set<std::string> all(lines.begin(), lines.end());
  for (const Section& section : report.sections) {
    if (section.rows_max == 0) continue;
    for (const Row& row : section.rows) {
      if (!row.instead.empty() || (row.repeated && section.across)) continue;
      const bool found = std::ranges::any_of(lines, [&](const std::string& line) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < section.columns.size() && at != std::string::npos; ++i) {
          const std::string& text = row.values[i].text;
          if (section.columns[i].shown != Shown::as_data && row.values[i].value && !text.empty())
            at = line.find("<td>" + escaped(text), at);
        }
        return at != std::string::npos;
      });
      EXPECT_TRUE(found) << section.subject << " " << row.name;
    }
  }
}

TEST(PageNumbers, AreThoseOfEachCommittedResultInEveryFormat) {
  std::size_t documents = 0;
  const std::filesystem::path source = GRAPHBENCH_SOURCE_FOLDER;
  for (const char* const folder : {"ci/baselines", "tests/golden/json"}) {
    for (const auto& entry : std::filesystem::directory_iterator(source / folder)) {
      const std::string path = entry.path().string();
      const model::PaddedText text = model::read_text(path);
      if (text.view().find("\"graphbench.result/1\"") > 100) continue;
      SCOPED_TRACE(path);
      const model::Result result = model::read_result(text.view(), path);
      const Report report = sweep::report_of(result);
      const Numbers table = of_report(report);
      const OnPage shown = page_of(std::string(text.view()));
      const std::size_t found =
          expect_the_same(table, of_embedded(shown.documents.at("result")), "report.html");
      EXPECT_GT(found, 5u);
      EXPECT_EQ(found, expect_the_same(table, of_events(result), "cell events"));
      expect_plain(report, shown.plain);
      ++documents;
    }
  }
  EXPECT_GE(documents, 7u);
}

// A comparison's document has nine digits of each number.
void expect_near(const Number& expected, const Number& shown) {
  EXPECT_EQ(expected.text, shown.text);
  EXPECT_EQ(expected.range, shown.range) << expected.text;
  for (const auto part : {&Number::value, &Number::low, &Number::high}) {
    ASSERT_EQ((expected.*part).has_value(), (shown.*part).has_value()) << expected.text;
    const double number = (expected.*part).value_or(0);
    EXPECT_NEAR(number, (shown.*part).value_or(0), 1e-8 * std::abs(number)) << expected.text;
  }
}

using Rows = std::vector<std::vector<Number>>;

// Rows of equal ratios may change places, because a comparison's document rounds.
void sort(Rows& rows) {
  std::ranges::sort(rows, {}, [](const std::vector<Number>& row) {
    return join(row, "|", [](const Number& number) { return number.text + number.range; });
  });
}

// Returns how many numbers and texts the page lists.
std::size_t expect_sections(const Report& report, const json& embedded) {
  std::size_t at = 0;
  std::size_t found = 0;
  for (const Section& section : report.sections) {
    if (section.rows.empty() && section.sentences.empty()) continue;
    const json& shown = embedded.at("sections").at(at++);
    EXPECT_EQ(section.subject + section.detail, shown.at("title"));
    if (section.rows_max == 0) continue;
    Rows expected;
    Rows listed;
    for (const Row& row : section.rows) {
      for (expected.emplace_back(); const Value& value : row.values)
        expected.back().push_back(number_of(value));
    }
    for (const json& row : shown.at("rows")) {
      for (listed.emplace_back(); const json& value : row.at("values"))
        listed.back().push_back(number_of(value));
    }
    sort(expected);
    sort(listed);
    EXPECT_EQ(expected.size(), listed.size()) << section.subject;
    for (std::size_t i = 0; i < std::min(expected.size(), listed.size()); ++i) {
      EXPECT_EQ(expected[i].size(), listed[i].size());
      for (std::size_t k = 0; k < std::min(expected[i].size(), listed[i].size()); ++k, ++found)
        expect_near(expected[i][k], listed[i][k]);
    }
  }
  EXPECT_EQ(at, embedded.at("sections").size());
  return found;
}

TEST(PageNumbers, AreThoseOfAComparisonInEveryFormat) {
  const model::Comparison comparison = samples::mixed_comparison();
  std::ostringstream out;
  judge::print_comparison_json(out, comparison);
  const OnPage shown = page_of(std::move(out).str());
  const Report report = judge::report_of(comparison);
  expect_plain(report, shown.plain);
  const json& embedded = shown.documents.at("comparison");
  EXPECT_GT(expect_sections(report, embedded), 100u);
  ASSERT_EQ(report.closing.size(), embedded.at("closing").size());
  for (std::size_t i = 0; i < report.closing.size(); ++i)
    EXPECT_EQ(report.closing[i].text, embedded.at("closing")[i]);
}

TEST(PageNumbers, AreThoseOfASeriesInEveryFormat) {
  const judge::CellHistory series = samples::changed_series();
  const OnPage shown = page_of(judge::series_to_json(series));
  expect_plain(judge::report_of(series), shown.plain);
  EXPECT_EQ(13u * series.points.size(),
            expect_sections(judge::report_of(series), shown.documents.at("series").at(0)));
}

// A page draws the sums of a ladder's first launch, and a suggestion as it was predicted.
TEST(PageNumbers, AreThoseOfALadderInEveryFormat) {
  const ladder::LadderFindings findings = samples::served_ladders();
  const OnPage shown = page_of(ladder::ladders_to_json(samples::small_result(), findings));
  const json& result = shown.documents.at("result");
  const ladder::LadderLaunch& launch = findings.ladders.front().launches.front();
  const json& ladder = result.at("ladders").at(0);
  const double steps = static_cast<double>(findings.ladders.front().traffic.steps);
  EXPECT_EQ(number_of(seconds_value(launch.busy_seconds / steps)), number_of(ladder.at("step")));
  EXPECT_EQ(number_of(bytes_value(3e6)), number_of(ladder.at("memory")));
  const ladder::Suggestion& made = findings.suggestions.front();
  const json& suggestion = result.at("suggestions").at(0);
  EXPECT_EQ(number_of(seconds_value(made.step_seconds)), number_of(suggestion.at("step")));
  EXPECT_EQ(number_of(bytes_value(made.memory_bytes)), number_of(suggestion.at("memory")));
  const Report report = ladder::report_of(findings);
  const auto section = std::ranges::find(report.sections, "suggestion", &Section::subject);
  ASSERT_NE(section, report.sections.end());
  ASSERT_EQ(section->rows.size(), suggestion.at("frontier").size());
  for (std::size_t i = 0; i < section->rows.size(); ++i)
    EXPECT_EQ(number_of(section->rows[i].values[1]), number_of(suggestion.at("frontier")[i].at("step")));
}

TEST(PageNumbers, AreThoseOfABillInEveryFormat) {
  const std::vector<bill::Bill> bills = {samples::measured_bill()};
  std::string text = model::document_of(
      "graphbench.bill/1", model::JsonWriter(model::Form::document).write(samples::small_result()));
  text.resize(text.size() - 2);
  const OnPage shown = page_of(text + model::lines_of("bills", bills) + "\n}\n");
  const json& result = shown.documents.at("result");
  EXPECT_EQ(bills.front().sentence, result.at("conclusions").back().at("text"));
  const Report report = bill::report_of(bills);
  std::size_t numbers = 0;
  for (const json& figure : result.at("bills")) {
    const std::string subject = figure.at("title") == "Memory" ? "memory of " : "time of ";
    const auto section = std::ranges::find(report.sections, subject + bills.front().id, &Section::subject);
    ASSERT_NE(section, report.sections.end());
    ASSERT_EQ(section->rows.size(), figure.at("parts").size());
    for (std::size_t i = 0; i < section->rows.size(); ++i) {
      EXPECT_EQ(section->rows[i].values[0].text, figure.at("parts")[i]);
      for (const std::size_t how : {0, 1}) {
        EXPECT_EQ(number_of(section->rows[i].values[how + 1]),
                  number_of(figure.at("rows")[how].at("values")[i]));
        ++numbers;
      }
    }
  }
  EXPECT_EQ(20u, numbers);
}

}  // namespace
}  // namespace graphbench::reporters
