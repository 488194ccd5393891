// A fixture for tests of a task's run: a small task on the host device, and a recorder of its events.
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
#include "harness/measure/worker/task_rig.hpp"
#include "harness/measure/worker/task_run.hpp"
#include "harness/measure/worker/worker_fields.hpp"
#include "tests/support/sample_plan.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::measure {

struct Recorder {
  void take(const WorkerEvent& event) {
    EXPECT_NO_THROW(model::read_data<WorkerEvent>(model::write_data(event), "read"))
        << "the sweep would not understand it";
    if (event.stopped) {
      EXPECT_TRUE(cells.contains(event.batch)) << "stopped at a batch that is not reported";
      stops.push_back(event.batch);
    }
    if (!event.phase.empty()) phases.emplace_back(event.batch, event.phase);
    if (event.phase == "check") on_check();
    if (event.phase == "measure") on_measure();
    if (event.memory) memories[event.batch] = *event.memory;
    if (!event.cell) return;
    ASSERT_FALSE(cells.contains(event.cell->cell.batch)) << "reported twice";
    cells[event.cell->cell.batch] = *event.cell;
  }

  std::function<void()> on_check = [] {};
  std::function<void()> on_measure = [] {};
  std::vector<std::pair<std::int64_t, std::string>> phases;
  std::map<std::int64_t, model::CellResult> cells;
  std::map<std::int64_t, model::Memory> memories;
  std::vector<std::int64_t> stops;
};

class TaskRunTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    workloads::add_builtin(registry_);
    task_.warmup = 1;
    task_.settings.sampling.seconds_max = 10;              // long enough that samples_max ends the passes
    task_.settings.sampling.samples_max = 6 * placements;  // the fewest with a confidence interval
  }
  void run() { run(program()); }
  ir::Program program() const {
    return registry_.build(task_.workload, {.preset = task_.preset, .dtype = ir::DType::fp32, .options = {}});
  }
  void run_again() {
    events_ = Recorder{};
    run();
  }
  void run(const ir::Program& program, const ir::Program* evaluated = nullptr, TraceProgram traced = {}) {
    with_run(program, run_task, evaluated, std::move(traced));
  }
  void with_run(const ir::Program& program, const std::function<void(TaskRun&)>& what,
                const ir::Program* evaluated = nullptr, TraceProgram traced = {}) {
    model::InstrumentOptions unpinned;
    unpinned.pin = false;
    SubmitterPin pin(unpinned, allowed_cpus(), false);
    StartupClock clock(task_.spawned_ns);
    TaskRun run{.task = task_,
                .open = open_,
                .make_rig = [&](Device& device) { return std::make_unique<TaskRig>(task_, device, program); },
                .pin = pin,
                .tell = tell_,
                .startup = clock,
                .program = &program,
                .evaluated = evaluated,
                .traced = std::move(traced)};
    what(run);
  }

  OpenDevice open_ = [] { return open_device("host"); };
  abi::WorkloadRegistry registry_;
  model::WorkerTask task_ = test::sample_task("whole", {1, 4, 2});
  Recorder events_;
  Tell tell_ = [this](const WorkerEvent& event) { events_.take(event); };
};

}  // namespace graphbench::measure
