// Files that are made from the tables of metrics and families are current. After a change of a table:
// GRAPHBENCH_UPDATE_GOLDEN=1 ctest -R GeneratedFiles, and review the difference.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>

#include "harness/ladder/ladder_series.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/codec/metric_schema.hpp"
#include "harness/model/metrics.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/sweep/report/families.hpp"

namespace graphbench {
namespace {

using Json = nlohmann::ordered_json;

std::string path_of(const std::string& file) {
  return std::string(GRAPHBENCH_SOURCE_FOLDER) + "/" + file;
}

std::string read(const std::string& file) {
  std::ifstream in(path_of(file));
  EXPECT_TRUE(in) << file;
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

void expect_current(const std::string& file, const std::string& made) {
  if (std::getenv("GRAPHBENCH_UPDATE_GOLDEN") != nullptr) std::ofstream(path_of(file)) << made;
  EXPECT_EQ(read(file), made) << file << " is not what the tables say";
}

// One row a line, so that a change of a row is a line in a diff.
std::string rows_text(const Json& rows) {
  std::string text;
  for (const Json& row : rows) text += (text.empty() ? "" : ",\n") + ("    " + row.dump());
  return "[\n" + text + "\n  ]";
}

TEST(GeneratedFiles, TheSchemaHasTheTablesMetrics) {
  const std::string file = "reporters/schema/result.schema.json";
  expect_current(file, codec::with_tables(Json::parse(read(file))).dump(2) + "\n");
}

TEST(GeneratedFiles, TheDashboardsTableHasEveryFamily) {
  const std::string file = "dashboards/metrics.json";
  Json before = Json::parse(read(file));
  // What a cell's series have besides, where it is away from the default of an axis that came later.
  Json later = Json::array();
  for (const model::Axis& axis : model::axes()) {
    if (axis.came_later()) later.push_back(std::regex_replace(axis.name, std::regex("-"), "_"));
  }
  before["labels"]["LATER"] = later;
  Json rows = Json::array();
  std::vector<reporters::FamilyRow> families = reporters::families();
  families.insert(families.end(), reporters::ladder_families().begin(), reporters::ladder_families().end());
  for (const reporters::FamilyRow& row : families) {
    rows.push_back({{"name", row.name},
                    {"type", row.type},
                    {"unit", row.unit},
                    {"labels", row.labels},
                    {"help", row.help}});
  }
  expect_current(file, "{\n  \"labels\": " + before["labels"].dump() +
                           ",\n  \"metrics\": " + rows_text(rows) +
                           ",\n  \"prometheus\": " + rows_text(before["prometheus"]) + "\n}\n");
}

TEST(GeneratedFiles, ThePageHasTheTablesColumns) {
  const char* kinds[] = {"time", "count", "bytes", "ratio", "rate"};
  Json columns = Json::array();
  for (const model::MetricRow* row : model::column_metrics()) {
    if (row->on_request) continue;
    columns.push_back({{"key", row->name},
                       {"kind", kinds[static_cast<int>(row->kind)]},
                       {"distribution", model::is_distribution(*row)}});
    columns.back().update({{"title", row->column}, {"help", row->column_help}});
  }
  std::string rows;
  for (const Json& column : columns) rows += column.dump(2) + ",\n";
  expect_current(
      "dashboards/page/columns.mjs",
      "// The modes, and the columns of numbers in the table of cells, from the binary's tables: made by\n"
      "// tests/golden/generated_files_test.cpp.\n"
      "export const MODES = " +
          Json(model::names_of(model::modes())).dump() +
          ";\n"
          "export const COLUMNS = [\n" +
          rows + "];\n");
}

}  // namespace
}  // namespace graphbench
