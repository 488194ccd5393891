// A sweep's document beside a baseline: what compare would say, or why it says nothing.
#include "harness/publish/baseline.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/config/input_error.hpp"
#include "reporters/json/result_json.hpp"
#include "tests/golden/sample_results.hpp"

namespace graphbench::publish {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class BaselineTest : public testing::Test {
 protected:
  BaselineTest()
      : folder_(fs::temp_directory_path() / ("graphbench-baseline-" + std::to_string(getpid()))),
        path_(folder_ / "base.json") {
    fs::create_directory(folder_);
    write(reporters::to_json(samples::small_result()));
  }
  ~BaselineTest() override { fs::remove_all(folder_); }

  void write(const std::string& text) const { std::ofstream(path_) << text; }

  std::string refusal() const {
    try {
      const Baseline baseline(path_, "--baseline");
    } catch (const config::InputError& error) {
      return error.what();
    }
    return "it was read";
  }

  fs::path folder_;
  fs::path path_;
};

TEST_F(BaselineTest, TheFileMayBeWrittenOverByTheSweepThatIsCompared) {
  const Baseline baseline(path_, "--baseline");
  model::Result slow = samples::small_result();
  for (model::CellResult& cell : slow.cells) {
    for (model::Launch& launch : cell.launches) {
      if (launch.latency_seconds) launch.latency_seconds->p50 *= 2;
    }
  }
  const std::string document = reporters::to_json(slow);
  write(document);
  const model::Comparison comparison = baseline.compare_with(document, "this sweep");
  ASSERT_TRUE(comparison.comparable);
  ASSERT_GT(comparison.counts.compared, 0);
  for (const model::CellComparison& cell : comparison.cells) {
    for (const model::MetricComparison& metric : cell.metrics)
      EXPECT_NEAR(metric.ratio, metric.metric == model::Metric::latency ? 2 : 1, 1e-9) << cell.id;
  }
  EXPECT_EQ(baseline.said_of(comparison),
            "beside the baseline " + path_.string() + ": " + comparison.headline);
}

TEST_F(BaselineTest, AnotherPlanOrDeviceIsNamedAndNothingIsCompared) {
  const Baseline baseline(path_, "--baseline");
  model::Result other = samples::small_result();
  other.plan.hash = "another";
  other.environment.device.name = "another";
  const model::Comparison comparison = baseline.compare_with(reporters::to_json(other), "this sweep");
  EXPECT_FALSE(comparison.comparable);
  EXPECT_TRUE(comparison.cells.empty());
  EXPECT_EQ(baseline.said_of(comparison), "beside the baseline " + path_.string() +
                                              ": not comparable, and no verdict is published: another "
                                              "device.name, plan");
}

TEST_F(BaselineTest, AFileThatWillNotDoIsRefusedByOptionAndName) {
  write("{}");
  EXPECT_THAT(refusal(), HasSubstr("--baseline: " + path_.string() + ": "));
  fs::remove(path_);
  EXPECT_THAT(refusal(), HasSubstr("--baseline: " + path_.string() + ": it cannot be read"));
}

}  // namespace
}  // namespace graphbench::publish
