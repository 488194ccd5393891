// graphbench_generate: writes the files that are made from the tables of metrics, families and axes into the
// source tree; with --check it writes nothing, and names the files that differ from the tables.
// Exit codes: 0 all are current now, 1 some are not or something failed, 2 bad usage.
#include <cstdio>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/bill/bill_table.hpp"
#include "harness/ladder/ladder_table.hpp"
#include "harness/model/metrics.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/sweep/report/families.hpp"
#include "tests/golden/metric_schema.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench {
namespace {

using Json = nlohmann::ordered_json;

std::string path_of(const std::string& file) {
  return std::string(GRAPHBENCH_SOURCE_FOLDER) + "/" + file;
}

// One row a line, so that a change of a row is a line in a diff.
std::string rows_text(const Json& rows) {
  std::string text;
  for (const Json& row : rows) text += (text.empty() ? "" : ",\n") + ("    " + row.dump());
  return "[\n" + text + "\n  ]";
}

// Keeps the parts of the schema that do not come from the tables.
std::string schema(const std::string& before) {
  return model::with_tables(Json::parse(before)).dump(2) + "\n";
}

std::string families(const std::string& before) {
  Json kept = Json::parse(before);
  Json rows = Json::array();
  std::vector<reporters::FamilyRow> all = sweep::families();
  const auto add = [&](const auto& more) { all.insert(all.end(), more.begin(), more.end()); };
  add(ladder::ladder_families());
  add(bill::bill_families());
  for (const reporters::FamilyRow& row : all) {
    rows.push_back({{"name", row.name},
                    {"type", row.type},
                    {"unit", row.unit},
                    {"labels", row.labels},
                    {"help", row.help}});
  }
  return "{\n  \"labels\": " + kept["labels"].dump() + ",\n  \"metrics\": " + rows_text(rows) +
         ",\n  \"prometheus\": " + rows_text(kept["prometheus"]) + "\n}\n";
}

std::string columns(const std::string&) {
  std::string rows;
  for (const model::MetricRow* row : model::column_metrics()) {
    // The page shows memory in a figure, and not in a column.
    if (row->on_request || row->kind == model::MetricKind::bytes) continue;
    const Json column = {{"key", model::path_of(*row)}, {"title", row->column}, {"help", row->column_help}};
    rows += column.dump(2) + ",\n";
  }
  return "// The modes, and the columns of numbers in the table of cells, from the binary's tables: made by\n"
         "// tests/golden/generate_files.cpp.\n"
         "export const MODES = " +
         Json(model::names_of(model::modes())).dump() + ";\nexport const COLUMNS = [\n" + rows + "];\n";
}

// The names of counts that a comparison says have changed. Keeps all else, which is written by hand.
std::string comparison_schema(const std::string& before) {
  const std::string begin = "\"name\": {\"enum\": [";
  const std::size_t at = before.find(begin) + begin.size();
  std::string names;
  for (const model::MetricRow* row : model::counted_metrics()) names += Json(row->counted).dump() + ", ";
  return before.substr(0, at) + names + "\"paths\"" + before.substr(before.find(']', at));
}

int generate(bool check) {
  const std::map<std::string, std::string (*)(const std::string&)> files = {
      {"reporters/schema/result.schema.json", schema},
      {"reporters/schema/comparison.schema.json", comparison_schema},
      {"dashboards/metrics.json", families},
      {"dashboards/page/columns.mjs", columns}};
  int stale = 0;
  for (const auto& [file, make] : files) {
    const std::string before = test::read_file(path_of(file));
    const std::string made = make(before);
    if (made == before) continue;
    std::printf("%s: %s\n", file.c_str(),
                check ? "not what the tables say: ci/build --target generate" : "written");
    if (check) {
      stale = 1;
    } else if (!(std::ofstream(path_of(file), std::ios::binary) << made).flush()) {
      throw std::runtime_error("cannot write " + path_of(file));
    }
  }
  return stale;
}

}  // namespace
}  // namespace graphbench

int main(int argc, char** argv) {
  const bool check = argc == 2 && std::strcmp(argv[1], "--check") == 0;
  if (argc != 1 && !check) {
    std::fprintf(stderr, "graphbench_generate: give nothing, or --check\n");
    return 2;
  }
  try {
    return graphbench::generate(check);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graphbench_generate: %s\n", error.what());
    return 1;
  }
}
