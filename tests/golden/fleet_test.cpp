// A fleet as it is shown and published, against the files in folders beside this one.
#include <gtest/gtest.h>

#include <sstream>

#include "harness/codec/documents.hpp"
#include "reporters/console/tables.hpp"
#include "reporters/prometheus/fleet_series.hpp"
#include "tests/golden/expect_golden.hpp"

namespace graphbench {
namespace {

model::FleetGpu gpu(int index, double factor, double p, bool outlier) {
  model::FleetGpu made;
  made.uuid = "GPU-0" + std::to_string(index);
  made.node = "node" + std::to_string(index / 2);
  made.unit = {factor, p, outlier};
  made.documents = {{made.uuid + ".json", "2026-10-01T02:00:00Z", factor, 1.0}};
  return made;
}

model::Fleet fleet() {
  model::Fleet made;
  made.tool_version = "0.1.0";
  made.tool_commit = "abc1234";
  made.device_name = "NVIDIA H200";
  made.plan_hash = "4cf57dbbb0ef6e5d";
  made.documents = 7;
  made.gpu_test = {5, 0.015, 1.07, 0.09};
  made.node_test = {3, 0.03, 1.5, 0.8};
  made.gpus = {gpu(3, 1.5, 1e-12, true), gpu(2, 1.4, 1e-11, true), gpu(5, 1.01, 0.2, false),
               gpu(0, 0.99, 0.7, false), gpu(4, 0.98, 0.9, false), gpu(1, 1, 1, false)};
  made.gpus[2].drift = 1.0125;
  made.gpus[2].cells_failed = 2;
  made.gpus[2].documents.push_back({"later.json", "2026-10-02T02:00:00Z", 1.015, std::nullopt});
  made.gpus[5].unit = {};
  made.gpus[5].documents[0].device_factor.reset();
  made.nodes = {{"node2", {1.6, 1e-6, true}, 2, 0},
                {"node1", {1.01, 0.4, false}, 2, 2},
                {"node0", {0.99, 0.6, false}, 2, 0}};
  model::FleetCell whole;
  whole.cell = {"mlp", "base", "bf16", "forward", 8, 3, "whole"};
  whole.id = model::id_of(whole.cell);
  whole.device = {0.0151, 1.52};
  whole.submit = {0.02, 1.61};
  model::FleetCell eager = whole;
  eager.cell.mode = "eager";
  eager.id = model::id_of(eager.cell);
  eager.device.reset();
  eager.host_bound = true;
  made.cells = {whole, eager};
  made.differences = {{"device.driver", 1}};
  return made;
}

std::string table_of(const model::Fleet& fleet) {
  std::ostringstream out;
  reporters::print_fleet(out, fleet, false);
  return out.str();
}

TEST(GoldenFleet, TableDocumentAndMetrics) {
  expect_golden("console/fleet.txt", table_of(fleet()));
  expect_golden("json/fleet.json", codec::to_json(fleet()));
  expect_golden("prometheus/fleet.txt", reporters::fleet_text(fleet()));
}

TEST(GoldenFleet, ASmallFleetSaysThatItIsTooSmall) {
  model::Fleet small = fleet();
  small.documents = 1;
  small.gpus.assign(1, gpu(0, 1, 1, false));
  small.gpus[0].unit.p.reset();
  small.nodes.assign(1, {"node0", {1.0, std::nullopt, false}, 1, 0});
  small.gpu_test = small.node_test = {1, {}, {}, {}};
  small.cells.clear();
  small.differences.clear();
  expect_golden("console/fleet.small.txt", table_of(small));
}

}  // namespace
}  // namespace graphbench
