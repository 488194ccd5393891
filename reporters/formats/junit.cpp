// Prints a Report as JUnit XML, with pugixml, which escapes text. printable() removes what XML does not
// allow.
#include <algorithm>
#include <map>
#include <pugixml.hpp>

#include "reporters/report.hpp"

namespace graphbench::reporters {
namespace {

constexpr std::size_t length_max = 1000;

struct Test {
  std::string group;
  std::string name;
  Weight weight = Weight::normal;
  std::string verdict = {};
  std::string message = {};  // the reason of the failure or skip
  std::string details = {};  // one line per row

  const char* outcome() const {
    if (weight == Weight::regression) return "failure";
    return weight == Weight::undecided || weight == Weight::notice ? "skipped" : nullptr;
  }
};

// All rows of one name are one test, whose outcome is that of the row with the most weight.
void add_test(Test& test, const Row& row) {
  const std::string text = printable(row.sentence);
  test.details += row.verdict + ": " + text + "\n";
  if (!row.note.empty() && row.weight >= Weight::undecided) test.details += printable(row.note) + "\n";
  if (row.weight < test.weight || row.weight < Weight::undecided) return;
  const bool same = row.weight == test.weight && row.verdict == test.verdict;
  if (!same && row.weight == test.weight) return;
  test.message = (same ? test.message + "; " : row.verdict + ": ") + text;
  if (!row.note.empty()) test.message += ": " + row.note;
  test.weight = row.weight;
  test.verdict = row.verdict;
}

std::vector<Test> tests_of(const Report& report) {
  std::vector<Test> tests;
  std::map<std::string_view, std::size_t> places;
  for (const Section& section : report.sections) {
    for (const Row& row : section.rows) {
      const auto [place, is_new] = places.try_emplace(row.name, tests.size());
      if (is_new) tests.push_back({row.group, row.name});
      add_test(tests[place->second], row);
    }
  }
  const auto add_sentence = [&](const Sentence& each) {
    if (!each.test.empty()) tests.push_back({report.group, each.test, each.weight, each.verdict, each.text});
  };
  add_sentence(report.title);
  for (const Sentence& each : report.closing) add_sentence(each);
  return tests;
}

void add_test(pugi::xml_node suite, const Test& test) {
  pugi::xml_node testcase = suite.append_child("testcase");
  testcase.append_attribute("classname") = printable(test.group, length_max).c_str();
  testcase.append_attribute("name") = printable(test.name, length_max).c_str();
  if (test.outcome() == nullptr) {
    if (!test.details.empty()) testcase.append_child("system-out").text() = test.details.c_str();
    return;
  }
  pugi::xml_node outcome = testcase.append_child(test.outcome());
  outcome.append_attribute("type") = test.verdict.c_str();
  outcome.append_attribute("message") = printable(test.message, length_max).c_str();
  if (!test.details.empty()) outcome.text() = test.details.c_str();
}

void add_counts(pugi::xml_node node, const Report& report, const std::vector<Test>& tests) {
  const auto failures =
      std::ranges::count_if(tests, [](const Test& test) { return test.weight == Weight::regression; });
  node.append_attribute("name") = report.name.c_str();
  node.append_attribute("tests") = std::to_string(tests.size()).c_str();
  node.append_attribute("failures") = std::to_string(failures).c_str();
  node.append_attribute("errors") = "0";
}

// The dialect of Jenkins, GitLab and GitHub's report actions: one testcase per name of a row, without a
// `time`, which would be shown as a test's duration.
void print_junit(std::ostream& out, const Report& report, const PrintOptions&) {
  const std::vector<Test> tests = tests_of(report);
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node suites = document.append_child("testsuites");
  add_counts(suites, report, tests);
  pugi::xml_node suite = suites.append_child("testsuite");
  add_counts(suite, report, tests);
  const auto skipped = std::ranges::count_if(
      tests, [](const Test& test) { return test.outcome() != nullptr && test.weight != Weight::regression; });
  suite.append_attribute("skipped") = std::to_string(skipped).c_str();
  if (!report.started_at.empty()) suite.append_attribute("timestamp") = printable(report.started_at).c_str();
  pugi::xml_node properties = suite.append_child("properties");
  for (const auto& [name, value] : report.facts) {
    pugi::xml_node property = properties.append_child("property");
    property.append_attribute("name") = name.c_str();
    property.append_attribute("value") = printable(value).c_str();
  }
  for (const Test& test : tests) add_test(suite, test);
  document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
}

}  // namespace

Format junit_format() {
  return {.name = "junit", .what = "JUnit XML", .print = print_junit, .judges = true, .place = 4};
}

}  // namespace graphbench::reporters
