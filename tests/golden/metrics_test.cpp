// Tests that one row of a table defines a metric: each row is wherever it says that it is.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <type_traits>
#include <utility>

#include "harness/judge/compare/compare.hpp"
#include "harness/judge/compare/read_side.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/model/codec/result_fields.hpp"
#include "harness/model/metric_value.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/sweep/report/result_report.hpp"
#include "harness/sweep/report/sweep_metrics.hpp"
#include "tests/golden/metric_schema.hpp"
#include "tests/golden/sample_results.hpp"

namespace graphbench {
namespace {

using testing::HasSubstr;

// A result that has each metric.
model::Result full_result() {
  model::Result result = samples::instruments_result();
  // What no sample has: sustained load, several ranks, what a process costs once, breaks, evaluation after
  // training.
  model::CellResult& cell = result.cells.front();
  model::Launch& launch = cell.launches.front();
  launch.sustained = model::Sustained{.latency_seconds = launch.latency_seconds,
                                      .device_seconds = launch.latency_seconds,
                                      .sm_clock_hz = 1.5e9,
                                      .power_watts = 250,
                                      .seconds_to_steady = 2,
                                      .stopped_by = "steady"};
  launch.ranks = model::RankTimes{.skew_seconds = launch.latency_seconds, .submit_seconds = {1e-6, 2e-6}};
  result.cells[1].summary.setup_once_seconds = 1e-3;
  result.cells[2].summary.break_latency_seconds = 6e-6;
  result.cells[2].summary.break_submit_seconds = 5e-6;
  for (model::CellResult& trained : result.cells) {
    if (!trained.training) continue;
    trained.training->evaluation = model::Evaluation{
        .ops = 1, .pieces = 1, .eager_ops = 0, .identical = true, .latency_seconds = launch.latency_seconds};
  }
  return result;
}

std::string table_of(const model::Result& result) {
  std::ostringstream out;
  reporters::format_named("table").print(out, sweep::report_of(result), {});
  return std::move(out).str();
}

std::string metrics_of(const model::Result& result, const model::Comparison& comparison) {
  sweep::SweepMetrics metrics("1.2.3");
  for (const model::CellResult& cell : result.cells) metrics.set_cell("host", cell);
  metrics.set_comparison("host", comparison);
  return *metrics.text();
}

std::string schema() {
  std::ifstream file(std::string(GRAPHBENCH_SOURCE_FOLDER) + "/reporters/schema/result.schema.json");
  return model::with_tables(nlohmann::ordered_json::parse(file)).dump();
}

// Returns the number under the row's section and name; of a distribution, its p50. Null if there is none.
nlohmann::json number_at(const nlohmann::json& whole, const model::MetricRow& row) {
  std::string path(model::key_of(section_of(row)));
  std::ranges::replace(path, '.', '/');
  const nlohmann::json::json_pointer at((path.empty() ? "" : "/" + path) + "/" + std::string(row.name));
  if (!whole.contains(at)) return nullptr;
  const nlohmann::json& value = whole.at(at);
  return value.is_object() ? value.at("p50") : value;
}

// Returns a launch's number. For a metric of setups, that is the median over the placements after the first.
nlohmann::json number_of(const nlohmann::json& launch, const model::MetricRow& row) {
  if (!row.of_setups || !launch.contains("setups")) return number_at(launch, row);
  std::vector<double> later;
  for (const nlohmann::json& setup : launch.at("setups")) later.push_back(setup.at(row.name).get<double>());
  later.erase(later.begin());
  return model::median(later);
}

// Expects each cell's and launch's number of the metric in the document too. Returns how many there are.
int agreeing(const model::MetricRow& row, const model::Result& result) {
  int count = 0;
  const auto compare = [&](const std::optional<double>& number, const nlohmann::json& written) {
    if (!number) return;
    EXPECT_TRUE(written.is_number()) << row.name << " of " << model::key_of(section_of(row));
    if (written.is_number()) {
      EXPECT_EQ(written.get<double>(), *number) << row.name;
    }
    ++count;
  };
  for (const model::CellResult& cell : result.cells) {
    const nlohmann::json document = nlohmann::json::parse(model::to_json(cell));
    if (row.value.of_cell != nullptr) {
      compare(row.value.of_cell(cell), number_at(document, row));
      continue;
    }
    for (std::size_t i = 0; i < cell.launches.size(); ++i)
      compare(row.value.of_launch(cell.launches[i]), number_of(document.at("launches").at(i), row));
  }
  return count;
}

// Unlike HasSubstr, a failure does not print the whole text.
bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Metrics, AreInTheirFamiliesColumnsAndComparisons) {
  const model::Result result = full_result();
  const std::string table = table_of(result);
  const judge::Side side = judge::side_of(result, "side");
  const model::Comparison comparison = judge::compare(side, side, {});
  const std::string published = metrics_of(result, comparison);
  for (const model::MetricRow& row : model::metrics()) {
    if (!row.family.empty()) {
      EXPECT_TRUE(holds(published, "\n" + std::string(row.family) + "{")) << row.family;
    }
    if (!row.column.empty() && !row.spare_column) {
      EXPECT_TRUE(holds(table, " " + std::string(row.column))) << row.column;
    }
    if (row.compared.empty()) continue;
    const auto is_row = [&](const auto& each) { return name_of(each.metric) == row.compared; };
    EXPECT_TRUE(std::ranges::any_of(comparison.cells, [&](const model::CellComparison& cell) {
      return std::ranges::any_of(cell.metrics, is_row) || std::ranges::any_of(cell.listed, is_row);
    })) << row.compared;
    if (row.baseline_help.empty()) continue;
    const std::string baseline =
        std::string(row.family).insert(std::string("graphbench_").size(), "baseline_");
    EXPECT_TRUE(holds(published, "\n" + baseline + "{")) << baseline;
  }
}

TEST(Metrics, StandInTheDocumentUnderTheirSectionAndNameAndInItsSchema) {
  const model::Result result = full_result();
  const std::string schema_text = schema();
  for (const model::MetricRow& row : model::metrics()) {
    if (section_of(row) == model::MetricSection::derived) continue;
    EXPECT_GT(agreeing(row, result), 0) << row.name << " of " << model::key_of(section_of(row));
    EXPECT_THAT(schema_text, HasSubstr("\"" + std::string(row.name) + "\":{"));
  }
}

template <typename T>
constexpr bool is_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
template <typename T>
constexpr bool is_number<std::optional<T>> = is_number<T>;

// Expects that a field of struct T, if it is a number, is the value of a row of metrics.
template <typename T, typename Field>
void expect_row(const Field& field) {
  if constexpr (requires {
                  field.member;
                  field.key;
                }) {
    using Member = std::remove_cvref_t<decltype(std::declval<T>().*field.member)>;
    if constexpr (is_number<Member>) {
      EXPECT_TRUE(std::ranges::any_of(model::metrics_in(model::Place<T>::section),
                                      [&](const model::MetricRow* row) { return row->name == field.key; }))
          << field.key << " of " << model::key_of(model::Place<T>::section) << " is in no table of metrics";
    }
  }
}
template <typename... Structs>
void expect_rows() {
  const auto of_struct = []<typename T>(std::type_identity<T>) {
    std::apply([](const auto&... fields) { (expect_row<T>(fields), ...); }, model::Description<T>::fields);
  };
  (of_struct(std::type_identity<Structs>()), ...);
}

TEST(Metrics, HaveARowForEachNumberOfAFact) {
  expect_rows<facts::CacheUse, facts::GraphContents, facts::GraphCounts, facts::Io, facts::TrainingFacts,
              model::Counters, model::Memory, model::PackageUse, model::Setup, model::Sustained>();
}

TEST(Metrics, ThatAreCountedAndCameLaterAreAbsentFromOlderDocuments) {
  for (const model::MetricRow* row : model::counted_metrics()) {
    if (!row->added_later) continue;
    nlohmann::json older = nlohmann::json::parse(model::to_json(samples::small_result()));
    for (nlohmann::json& cell : older["cells"]) {
      const std::string section(model::key_of(section_of(*row)));
      if (cell.contains(section) && cell[section].is_object()) cell[section].erase(std::string(row->name));
    }
    for (const model::DocumentCell& cell : model::parse_copy(older.dump(), "older").cells)
      EXPECT_FALSE(cell.counts.contains(row->counted)) << row->counted << " of " << cell.id;
  }
}

TEST(Metrics, ThatCodeNamesHaveTheirPlaceAmongThoseThatAreCompared) {
  using enum model::Metric;
  EXPECT_EQ(name_of(latency), "latency");
  EXPECT_EQ(name_of(submit), "submit");
  EXPECT_EQ(name_of(device), "device");
  EXPECT_EQ(name_of(capture), "capture");
  EXPECT_EQ(name_of(sustained), "sustained");
  EXPECT_EQ(name_of(setup), "setup");
  EXPECT_EQ(name_of(instantiate), "instantiate");
  EXPECT_EQ(name_of(upload), "upload");
  EXPECT_EQ(name_of(throughput), "throughput");
}

}  // namespace
}  // namespace graphbench
