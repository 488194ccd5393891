// Which cells of an earlier run a resumed sweep takes over.
#include <gtest/gtest.h>

#include "harness/cli/publishing.hpp"
#include "harness/service/serve/sweep_events.hpp"

namespace graphbench::cli {
namespace {

std::string kept_line(const std::string& workload, const std::string& identity) {
  model::CellResult cell;
  cell.cell.workload = workload;
  cell.status = model::CellStatus::ok;
  return serve::encode_sweep_event(serve::SweepCells{{cell}, identity}) + "\n";
}

TEST(ServiceReporter, CellsOfAnotherPlanMachineOrBinaryAreNotTakenOver) {
  const std::string kept =
      kept_line("mlp", "this") + kept_line("conv", "that") + kept_line("attention", "this");
  const std::vector<model::CellResult> finished = ServiceReporter::finished_cells(kept, "this");
  ASSERT_EQ(finished.size(), 2u);
  EXPECT_EQ(finished[0].cell.workload, "mlp");
  EXPECT_EQ(finished[1].cell.workload, "attention");
  EXPECT_TRUE(ServiceReporter::finished_cells("", "this").empty());
}

TEST(ServiceReporter, TheIdentityIsOfThePlanTheLaunchesAndTheDevice) {
  model::Plan plan;
  plan.facts.hash = std::string("a");
  model::DeviceFacts facts;
  const std::string identity = ServiceReporter::identity_of(plan, facts);
  EXPECT_EQ(identity, ServiceReporter::identity_of(plan, facts));
  facts.uuid = "GPU-1";
  EXPECT_NE(identity, ServiceReporter::identity_of(plan, facts));
  facts.uuid.clear();
  facts.driver = "570";
  EXPECT_NE(identity, ServiceReporter::identity_of(plan, facts));
  facts.driver.clear();
  plan.facts.launches = 3;
  EXPECT_NE(identity, ServiceReporter::identity_of(plan, facts));
  plan.facts.launches = 1;
  plan.facts.hash = std::string("b");
  EXPECT_NE(identity, ServiceReporter::identity_of(plan, facts));
}

}  // namespace
}  // namespace graphbench::cli
