// The formats of comparisons against the files in folders beside this one, as golden_test.cpp does.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "harness/judge/report/formats.hpp"
#include "tests/golden/expect_golden.hpp"
#include "tests/golden/sample_comparisons.hpp"

namespace graphbench {
namespace {

std::string shown(const char* format, const model::Comparison& comparison, bool colours = false) {
  const reporters::Format* found = reporters::find_format(format);
  if (found == nullptr) return "there is no such format";
  std::ostringstream out;
  found->print(out, comparison, {colours});
  return out.str();
}

TEST(GoldenComparison, Tables) {
  expect_golden("comparison/table/mixed.txt", shown("table", samples::mixed_comparison()));
  expect_golden("comparison/table/mixed.colours.txt", shown("table", samples::mixed_comparison(), true));
  expect_golden("comparison/table/same.txt", shown("table", samples::same_comparison()));
  expect_golden("comparison/table/single.txt", shown("table", samples::single_launch_comparison()));
  expect_golden("comparison/table/incomparable.txt", shown("table", samples::incomparable_comparison()));
}

TEST(GoldenComparison, Documents) {
  expect_golden("comparison/json/mixed.json", shown("json", samples::mixed_comparison()));
  expect_golden("comparison/json/same.json", shown("json", samples::same_comparison()));
  expect_golden("comparison/json/single.json", shown("json", samples::single_launch_comparison()));
  expect_golden("comparison/json/incomparable.json", shown("json", samples::incomparable_comparison()));
}

}  // namespace
}  // namespace graphbench
