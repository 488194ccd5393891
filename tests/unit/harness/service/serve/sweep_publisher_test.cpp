// What /metrics shows when a service starts: the last sweep that is done.
#include "harness/service/serve/sweep_publisher.hpp"

#include <gmock/gmock.h>

#include "harness/model/codec/documents.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench::serve {
namespace {

using testing::HasSubstr;
using testing::Not;

model::CellResult cell(std::int64_t batch, double latency_seconds) {
  model::CellResult result{};
  result.cell = {"mlp", "tiny", "fp32", "forward", batch, 0, "whole"};
  result.status = model::CellStatus::ok;
  result.summary.latency_seconds.emplace().p50 = latency_seconds;
  result.launches.emplace_back().latency_samples = {0.25};
  return result;
}

class SweepPublisherTest : public testing::Test {
 protected:
  // As a runner does it; `at`: when it ended.
  std::string run(const std::string& device, const std::vector<model::CellResult>& cells, SweepState state,
                  const std::string& at = "1970-01-01T00:01:40Z", int exit_code = 0) {
    const std::string id = store_->add({{}, {"--seed=1"}}, "", 9).sweep.id;
    store_->take();
    store_->begin(id, encode_sweep_event(SweepBegan{device, {}, {}}));
    for (const model::CellResult& each : cells) {
      store_->add_cells(id, {{model::id_of(each.cell), codec::to_json(each)}});
    }
    store_->end(id, {state, exit_code, "", "{}", at});
    return id;
  }

  // Of a service that starts now.
  std::string metrics() {
    store_ = nullptr;
    store_ = std::make_unique<SweepStore>(folder_.file("sweeps.sqlite"));
    reporters::SweepMetrics metrics("1.2.3");
    const SweepPublisher publisher(metrics, nullptr, *store_);
    return *metrics.text();
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<SweepStore> store_ = std::make_unique<SweepStore>(folder_.file("sweeps.sqlite"));
};

TEST_F(SweepPublisherTest, ARestartShowsTheCellsOfTheLastSweepThatIsDone) {
  run("cuda:0", {cell(2, 0.5)}, SweepState::done, "1970-01-01T00:00:50Z");
  run("host", {cell(1, 0.75)}, SweepState::done, "1970-01-01T00:03:20Z");
  run("host", {cell(4, 0.5)}, SweepState::cancelled);
  run("host", {cell(8, 0.5)}, SweepState::interrupted);
  const std::string text = metrics();
  const std::string of_cell =
      R"(graphbench_latency_seconds{workload="mlp",preset="tiny",dtype="fp32",pass="forward",)";
  EXPECT_THAT(text,
              HasSubstr(of_cell + R"(batch="1",warmup="0",mode="whole",device="host",quantile="0.5"} 0.75)"));
  EXPECT_THAT(text, HasSubstr("graphbench_ramp_seconds{"));
  for (const char* other : {"batch=\"2\"", "batch=\"4\"", "batch=\"8\"", "cuda:0"})
    EXPECT_THAT(text, Not(HasSubstr(other))) << "not of the last one";
  EXPECT_THAT(text, HasSubstr("graphbench_last_success_timestamp_seconds{device=\"host\"} 200\n"));
  EXPECT_THAT(text, HasSubstr("graphbench_sweep_progress_ratio{device=\"host\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("graphbench_sweep_running{device=\"host\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("graphbench_cells_total{status=\"ok\"} 0\n")) << "they were counted then";
  EXPECT_THAT(text, HasSubstr("graphbench_steps_total 0\n"));
}

TEST_F(SweepPublisherTest, ASweepWithFailedCellsIsShownAndIsNoSuccess) {
  run("host", {cell(1, 0.5)}, SweepState::done);
  run("host", {cell(1, 0.75)}, SweepState::done, "1970-01-01T00:03:20Z", 3);
  const std::string text = metrics();
  EXPECT_THAT(text, HasSubstr("quantile=\"0.5\"} 0.75"));
  EXPECT_THAT(text, Not(HasSubstr("graphbench_last_success_timestamp_seconds{")));
}

TEST_F(SweepPublisherTest, AnEventThatCannotBeReadIsAWarning) {
  const std::string id = run("host", {cell(1, 0.5)}, SweepState::done);
  store_->begin(id, "not an event");
  testing::internal::CaptureStderr();
  const std::string text = metrics();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("/metrics begins without sweep " + id));
  EXPECT_THAT(text, Not(HasSubstr("device=\"host\"")));
}

}  // namespace
}  // namespace graphbench::serve
