// What tests of the ladder share: a small task on the host device, and who hears of it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graphs/abi/plugin.hpp"
#include "graphs/backends/registry.hpp"
#include "harness/measure/machine/pinning.hpp"
#include "harness/measure/passes.hpp"
#include "harness/measure/worker/ladder.hpp"
#include "tests/support/sample_plan.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::worker {

class Recorder final : public WorkerEvents {
 public:
  void device(const model::DeviceFacts&) override {}
  void phase(std::int64_t batch, std::string_view phase) override {
    phases.emplace_back(batch, phase);
    if (phase == "check") on_check();
    if (phase == "measure") on_measure();
  }
  void cell(const model::CellResult& result) override {
    ASSERT_FALSE(cells.contains(result.cell.batch)) << "reported twice";
    cells[result.cell.batch] = result;
  }
  void memory(std::int64_t batch, const model::Memory& facts) override { memories[batch] = facts; }
  void machine(std::int64_t batch, const model::LaunchMachine& machine) override {
    machines[batch] = machine;
  }
  void stopped(std::int64_t batch) override {
    EXPECT_TRUE(cells.contains(batch)) << "stopped at a batch that is not reported";
    stops.push_back(batch);
  }

  std::function<void()> on_check = [] {};
  std::function<void()> on_measure = [] {};
  std::vector<std::pair<std::int64_t, std::string>> phases;
  std::map<std::int64_t, model::CellResult> cells;
  std::map<std::int64_t, model::Memory> memories;
  std::map<std::int64_t, model::LaunchMachine> machines;
  std::vector<std::int64_t> stops;
};

class LadderTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    workloads::add_builtin(registry_);
    task_.warmup = 1;
    task_.sampling.seconds_max = 10;                       // samples_max is what ends the passes
    task_.sampling.samples_max = 6 * measure::placements;  // the fewest with an interval
  }
  void run() {
    const ir::Program program =
        registry_.build(task_.workload, {.preset = task_.preset, .dtype = ir::DType::fp32, .options = {}});
    run(program);
  }
  void run(const ir::Program& program) {
    model::InstrumentOptions unpinned;
    unpinned.pin = false;
    machine::SubmitterPin pin(unpinned, machine::allowed_cpus(), false);
    StartupClock clock(task_.spawned_ns);
    Ladder(task_, open_, program, pin, events_, clock).run();
  }

  OpenDevice open_ = [] { return open_device("host"); };
  abi::WorkloadRegistry registry_;
  model::WorkerTask task_ = test::sample_task("whole", {1, 4, 2});
  Recorder events_;
};

}  // namespace graphbench::worker
