// Builds JUnit XML with pugixml, which escapes text. printable() removes characters that XML does not allow.
#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>
#include <vector>

#include "graphs/base/text.hpp"
#include "harness/judge/report/formats.hpp"
#include "harness/judge/report/words.hpp"

namespace graphbench::reporters {
namespace {

using model::CellComparison;
using model::Comparison;
using model::Coverage;
using model::Verdict;

constexpr std::size_t test_name_length_max = 1000;

enum class Outcome : std::uint8_t { passed, skipped, failed };

struct Test {
  std::string classname;
  std::string name;
  Outcome outcome = Outcome::passed;
  std::string type;     // type of the failure or the skip
  std::string message;  // one line: the reason of the failure or the skip
  std::string details;  // one line per metric
};

// A cell's class is its workload, mode, preset, dtype and pass, so that a test report shows all batches and
// warmups in one group. For another tool's benchmark, the class is the name up to the first parameter.
std::string classname_of(const std::string& id) {
  const std::vector<std::string> parts = split(id, '/');
  if (parts.size() != 7) return parts.front();
  return fmt::format("{}.{}.{}.{}.{}", parts[0], parts[6], parts[1], parts[2], parts[3]);
}

std::string metrics_with(const CellComparison& cell, Verdict verdict) {
  std::string text;
  for (const model::MetricComparison& metric : cell.metrics) {
    if (metric.verdict != verdict) continue;
    if (!text.empty()) text += "; ";
    text += metric_text(metric);
    if (!metric.why.empty()) text += ": " + metric.why;
  }
  return text;
}

std::string details_of(const CellComparison& cell) {
  std::string text;
  for (const model::MetricComparison& metric : cell.metrics) {
    text += fmt::format("{}: {}\n", name_of(metric.verdict), printable(metric_text(metric)));
  }
  for (const std::string& listed : listed_texts(cell)) text += "listed: " + listed + "\n";
  if (!cell.changed.empty()) text += "changed: " + changes_text(cell) + "\n";
  if (const std::string throttled = throttle_text(cell); !throttled.empty()) text += throttled + "\n";
  if (cell.coverage == Coverage::compared && has_gaps(cell)) text += printable(coverage_text(cell)) + "\n";
  return text;
}

Test test_of(const CellComparison& cell, bool strict) {
  Test test;
  test.classname = classname_of(cell.id);
  test.name = cell.id;
  test.details = details_of(cell);
  const std::string slower = metrics_with(cell, Verdict::slower);
  const std::string inconclusive = metrics_with(cell, Verdict::inconclusive);
  const auto conclude = [&](bool failed, const char* type, const std::string& message) {
    test.outcome = failed ? Outcome::failed : Outcome::skipped;
    test.type = type;
    test.message = message;
  };
  if (cell.coverage != Coverage::compared) {
    conclude(cell.regression, "coverage", coverage_text(cell));
  } else if (!slower.empty()) {
    conclude(true, "slower", "slower: " + slower + (cell.regression ? "; " + coverage_text(cell) : ""));
  } else if (cell.regression) {
    conclude(true, "coverage", coverage_text(cell));
  } else if (strict && !cell.changed.empty()) {
    conclude(true, "changed", "changed: " + changes_text(cell));
  } else if (!inconclusive.empty()) {
    conclude(strict, "inconclusive", "inconclusive: " + inconclusive);
  }
  return test;
}

Test test_of(const model::MeanComparison& mean, bool strict) {
  Test test;
  test.classname = "graphbench.means";
  test.name = mean.mode + " " + name_of(mean.metric.metric) + " over its cells";
  const std::string verdict = name_of(mean.metric.verdict);
  const std::string text = printable(mean_text(mean));
  test.details = verdict + ": " + text + "\n";
  if (mean.less_steady) {
    const std::string less = std::string(model::less_steady_word) + ": " + printable(less_steady_text(mean));
    test.details += less + "\n";
    if (mean.metric.verdict != Verdict::slower) {
      test.outcome = strict ? Outcome::failed : Outcome::skipped;
      test.type = model::less_steady_word;
      test.message = less;
      return test;
    }
  }
  if (mean.metric.verdict != Verdict::slower && mean.metric.verdict != Verdict::inconclusive) return test;
  test.outcome = mean.metric.verdict == Verdict::slower ? Outcome::failed : Outcome::skipped;
  test.type = verdict;
  test.message = verdict + ": " + text + (mean.metric.why.empty() ? "" : ": " + mean.metric.why);
  return test;
}

// Makes a test for the whole comparison. Used if the sides are not comparable or no metric was judged.
Test test_of_all(const Comparison& comparison) {
  Test test;
  test.classname = "graphbench.compare";
  test.name = "the two sides are comparable";
  test.outcome = passed(comparison) ? Outcome::skipped : Outcome::failed;
  test.type = comparison.comparable ? "inconclusive" : "not_comparable";
  test.message = comparison.headline;
  for (const model::Difference& difference : comparison.differences) {
    if (!difference.blocking || difference.allowed) continue;
    test.details += printable(difference_text(difference)) + "\n";
  }
  return test;
}

std::vector<Test> tests_of(const Comparison& comparison) {
  std::vector<Test> tests;
  tests.reserve(comparison.cells.size() + comparison.means.size() + 2);
  bool judged = false;
  for (const CellComparison& cell : comparison.cells) {
    judged = judged || !cell.metrics.empty();
    tests.push_back(test_of(cell, comparison.settings.strict));
  }
  for (const model::MeanComparison& mean : comparison.means)
    tests.push_back(test_of(mean, comparison.settings.strict));
  if (!comparison.comparable || !judged) tests.push_back(test_of_all(comparison));
  if (comparison.comparable && !powerful(comparison))
    tests.push_back({"graphbench.compare", "the launches find a slowdown of the required size",
                     Outcome::failed, "power", power_text(comparison), ""});
  return tests;
}

void add_property(pugi::xml_node properties, const std::string& name, const std::string& value) {
  pugi::xml_node property = properties.append_child("property");
  property.append_attribute("name") = printable(name).c_str();
  property.append_attribute("value") = printable(value).c_str();
}

void add_properties(pugi::xml_node suite, const Comparison& comparison) {
  pugi::xml_node properties = suite.append_child("properties");
  add_property(properties, "verdict", comparison.comparable ? name_of(comparison.verdict) : "not comparable");
  add_property(properties, "headline", comparison.headline);
  add_property(properties, "base", side_text(comparison.base));
  add_property(properties, "new", side_text(comparison.now));
  add_property(properties, "settings", settings_text(comparison.settings));
  add_property(properties, "strict", comparison.settings.strict ? "true" : "false");
  if (const std::string found = detectable_text(comparison); !found.empty()) {
    add_property(properties, "detectable", found);
  }
  if (const std::string found = means_found_text(comparison); !found.empty())
    add_property(properties, "detectable_means", found);
  for (const std::string& odd : odd_launch_texts(comparison)) add_property(properties, "odd_launch", odd);
  for (const std::string& field : comparison.settings.allow) add_property(properties, "allow", field);
  for (const model::Difference& difference : comparison.differences) {
    add_property(properties, "difference", difference_text(difference));
  }
}

void add_test(pugi::xml_node suite, const Test& test) {
  pugi::xml_node testcase = suite.append_child("testcase");
  testcase.append_attribute("classname") = printable(test.classname, test_name_length_max).c_str();
  testcase.append_attribute("name") = printable(test.name, test_name_length_max).c_str();
  if (test.outcome == Outcome::passed) {
    if (!test.details.empty()) testcase.append_child("system-out").text() = test.details.c_str();
    return;
  }
  pugi::xml_node outcome = testcase.append_child(test.outcome == Outcome::failed ? "failure" : "skipped");
  outcome.append_attribute("type") = test.type.c_str();
  outcome.append_attribute("message") = printable(test.message, test_name_length_max).c_str();
  if (!test.details.empty()) outcome.text() = test.details.c_str();
}

void add_counts(pugi::xml_node node, const std::vector<Test>& tests) {
  const auto failures = std::count_if(tests.begin(), tests.end(),
                                      [](const Test& test) { return test.outcome == Outcome::failed; });
  node.append_attribute("name") = "graphbench compare";
  node.append_attribute("tests") = std::to_string(tests.size()).c_str();
  node.append_attribute("failures") = std::to_string(failures).c_str();
  node.append_attribute("errors") = "0";
}

}  // namespace

void print_comparison_junit(std::ostream& out, const Comparison& comparison, const FormatOptions&) {
  const std::vector<Test> tests = tests_of(comparison);
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node suites = document.append_child("testsuites");
  add_counts(suites, tests);
  pugi::xml_node suite = suites.append_child("testsuite");
  add_counts(suite, tests);
  const auto skipped = std::count_if(tests.begin(), tests.end(),
                                     [](const Test& test) { return test.outcome == Outcome::skipped; });
  suite.append_attribute("skipped") = std::to_string(skipped).c_str();
  if (!comparison.now.started_at.empty()) {
    suite.append_attribute("timestamp") = printable(comparison.now.started_at).c_str();
  }
  add_properties(suite, comparison);
  for (const Test& test : tests) add_test(suite, test);
  document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
}

}  // namespace graphbench::reporters
