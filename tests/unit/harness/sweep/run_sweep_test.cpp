// Tests that a sweep whose workers fail in any way loses only the cells of these workers.
#include "harness/sweep/run_sweep.hpp"

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include "harness/measure/worker/worker_fields.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/sample_plan.hpp"
#include "tests/support/scripts.hpp"

namespace graphbench::sweep {
namespace {

using namespace test;
using model::CellStatus;
using testing::HasSubstr;
using testing::StartsWith;

class LastProgress final : public SweepListener {
 public:
  void update(const model::Progress& progress) override {
    last = progress;
    if (on_update) on_update();
  }
  void cells_done(const std::vector<model::CellResult>& cells) override { done.push_back(cells); }
  model::Progress last;
  std::vector<std::vector<model::CellResult>> done;
  std::function<void()> on_update;
};

const model::WorkerTask eager_task = sample_task("eager", {1, 2});
const model::WorkerTask whole_task = sample_task("whole", {1, 2});

SweepOutcome with_whole_ok(SweepOutcome outcome) {
  EXPECT_EQ(outcome.result.cells.size(), 4u);
  EXPECT_EQ(outcome.result.cells.at(2).status, CellStatus::ok);
  EXPECT_EQ(outcome.result.cells.at(3).status, CellStatus::ok);
  EXPECT_TRUE(outcome.result.complete);
  return outcome;
}

std::string reason(const SweepOutcome& outcome, std::size_t cell) {
  const model::CellResult& result = outcome.result.cells.at(cell);
  if (result.status != CellStatus::failed) return "not failed";
  return result.reason->code + ": " + result.reason->message;
}

FinishedTask finished(const model::WorkerTask& task, const std::vector<double>& latencies) {
  FinishedTask finished_task{task_id(task), {"node", "GPU-1"}, 3, {}};
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    model::CellResult cell = ok_cell(task, task.batches[i]);
    cell.launches[0].latency_seconds.emplace().p50 = latencies[i];
    finished_task.events.push_back(model::write_data(measure::WorkerEvent{.cell = cell}));
  }
  return finished_task;
}

std::string sends(const measure::WorkerEvent& event) {
  return sends_line(model::write_data(event));
}

class RunSweep : public testing::Test {
 protected:
  // The eager worker follows `eager_script`; the whole worker always measures both its cells.
  SweepOutcome sweep_with(const std::string& eager_script, double silent = 60) {
    const std::string well =
        sends({.cell = ok_cell(whole_task, 2)}) + sends({.cell = ok_cell(whole_task, 1)});
    const std::string script = "task=$(cat); case \"$task\" in *'\"mode\":\"eager\"'*) " + eager_script +
                               " ;; *) " + well + " ;; esac";
    return run_sweep(sample_plan({eager_task, whole_task}), {}, {shell(script), silent}, supervisor,
                     progress);
  }
  SweepOutcome sweep_after(const std::vector<FinishedTask>& earlier, const std::string& uuid) {
    model::CellResult measured = ok_cell(eager_task, 1);
    measured.launches[0].latency_seconds.emplace().p50 = 4e-6;
    const std::string eager_alone = sends({.cell = measured}) + sends({.cell = ok_cell(eager_task, 2)});
    const std::string script =
        "case $(cat) in *'\"mode\":\"eager\"'*) " + eager_alone + " ;; *) exit 9 ;; esac";
    SweepSettings settings{shell(script), 60, earlier};
    settings.hostname = "node";
    model::DeviceFacts facts{};
    facts.uuid = uuid;
    return run_sweep(sample_plan({eager_task, whole_task}), facts, settings, supervisor, progress);
  }
  LastProgress progress;
  process::ProcessSupervisor supervisor;
};

TEST_F(RunSweep, AllIsWellWhereWorkersAre) {
  const SweepOutcome outcome = with_whole_ok(
      sweep_with(sends({.cell = ok_cell(eager_task, 1)}) + sends({.cell = ok_cell(eager_task, 2)})));
  EXPECT_EQ(outcome.cells_failed, 0);
  EXPECT_TRUE(outcome.warnings.empty());
  EXPECT_EQ(progress.last.cells_done, 4);
  EXPECT_EQ(progress.last.tasks_done, 2);
  EXPECT_EQ(outcome.result.environment.fingerprint.size(), 64u);
}

TEST_F(RunSweep, CellsAreToldWithTheirSummariesWhenTheirWorkerHasEnded) {
  model::CellResult measured = ok_cell(eager_task, 1);
  measured.launches[0].latency_seconds.emplace().p50 = 2e-6;
  sweep_with(sends({.cell = measured}) + "kill -SEGV $$");
  ASSERT_EQ(progress.done.size(), 2u);
  ASSERT_EQ(progress.done[0].size(), 2u);
  EXPECT_EQ(progress.done[0][0].summary.latency_seconds->p50, 2e-6);
  EXPECT_EQ(progress.done[0][1].status, CellStatus::failed);
  EXPECT_EQ(progress.done[1].size(), 4u) << "the other mode's cells come with those known before";
}

TEST_F(RunSweep, AJournalOfWhatNoWorkerWroteIsRefusedByItsName) {
  FinishedTask finished_task = finished(whole_task, {1e-6, 2e-6});
  finished_task.events.back() = "{}";
  SweepSettings settings{shell("exit 9"), 60, {finished_task}};
  settings.hostname = "node";
  settings.finished_in = "--json: \"r.json.partial\"";
  model::DeviceFacts facts{};
  facts.uuid = "GPU-1";
  const std::string refused = test::refusal([&] {
    return run_sweep(sample_plan({eager_task, whole_task}), facts, settings, supervisor, progress);
  });
  EXPECT_TRUE(refused.starts_with("--json: \"r.json.partial\": task ")) << refused;
  EXPECT_TRUE(refused.ends_with("or give another --json")) << refused;
}

TEST_F(RunSweep, WhatAnEarlierRunFinishedIsTakenOverAndNotMeasured) {
  const SweepOutcome outcome = with_whole_ok(sweep_after({finished(whole_task, {1e-6, 2e-6})}, "GPU-1"));
  EXPECT_FALSE(outcome.result.cells[0].resumed);
  EXPECT_TRUE(outcome.result.cells[2].resumed && outcome.result.cells[3].resumed);
  EXPECT_FALSE(outcome.result.cells[2].measured_on);
  EXPECT_EQ(outcome.result.cells[2].summary.latency_seconds->p50, 1e-6);
  EXPECT_EQ(outcome.result.cells[2].summary.speedup_over_eager, 4.0);
  EXPECT_EQ(outcome.result.cells[2].launches[0].worker_seconds, 1.5) << "its share of the worker's time";
  EXPECT_EQ(progress.last.cells_total, 4) << "what was taken over counts as done";
  EXPECT_EQ(progress.last.cells_done, 4);
  ASSERT_EQ(progress.done.size(), 2u);
  EXPECT_EQ(progress.done[0].size(), 2u) << "who listens is told what was taken over";
}

TEST_F(RunSweep, WhatAnotherDeviceMeasuredSaysSo) {
  const SweepOutcome outcome = with_whole_ok(
      sweep_after({finished(eager_task, {1e-6, 1e-6}), finished(whole_task, {1e-6, 2e-6})}, "GPU-2"));
  for (const model::CellResult& cell : outcome.result.cells)
    EXPECT_EQ(cell.measured_on, (model::MeasuredOn{.hostname = "node", .uuid = "GPU-1"}));
  EXPECT_EQ(outcome.result.environment.device.uuid, "GPU-2");
}

TEST_F(RunSweep, KeepsEachTaskThatIsFinishedAndNoneThatFailed) {
  model::CellResult measured = ok_cell(whole_task, 1);
  measured.launches[0].latency_samples.assign(40, 1e-6);
  measured.launches[0].latency_seconds.emplace().count = 8;
  const std::string script = "case $(cat) in *'\"mode\":\"eager\"'*) exit 9 ;; *) " +
                             sends({.cell = ok_cell(whole_task, 2)}) + sends({.cell = measured}) + " ;; esac";
  std::vector<FinishedTask> kept;
  SweepSettings settings{shell(script), 60};
  settings.keep = [&](const FinishedTask& finished_task) { kept.push_back(finished_task); };
  run_sweep(sample_plan({eager_task, whole_task}), {}, settings, supervisor, progress);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].id, task_id(whole_task));
  ASSERT_EQ(kept[0].events.size(), 2u);
  const auto cell = model::read_data<measure::WorkerEvent>(kept[0].events[1], "read").cell.value();
  EXPECT_EQ(cell.launches[0].latency_samples.size(), 32u) << "the ramp alone";
  EXPECT_EQ(cell.launches[0].within->latency_spread, 0.0) << "and what summaries take from the others";
}

TEST_F(RunSweep, ACrashCostsTheCellsNotReportedYet) {
  const SweepOutcome outcome =
      with_whole_ok(sweep_with(sends({.cell = ok_cell(eager_task, 2)}) +
                               sends({.batch = 1, .phase = "capture"}) + "echo last words; kill -SEGV $$"));
  EXPECT_EQ(outcome.result.cells[1].status, CellStatus::ok);
  EXPECT_EQ(reason(outcome, 0),
            "worker_crashed: crashed with SIGSEGV in phase capture of batch 1; its output: last words");
  EXPECT_EQ(outcome.cells_failed, 1);
}

// Crashes at batch 2 in any task that contains it, and measures the other batches.
const std::string crashes_at_2 =
    "case \"$task\" in *'\"batches\":[1,2]'*) " + sends({.batch = 2, .phase = "warmup"}) +
    "kill -SEGV $$ ;; *'\"batches\":[1]'*) " + sends({.cell = ok_cell(eager_task, 1)}) + " ;; esac";

TEST_F(RunSweep, ACrashAtABatchCostsThatBatchAlone) {
  const SweepOutcome outcome = with_whole_ok(sweep_with(crashes_at_2));
  EXPECT_EQ(outcome.result.cells[0].status, CellStatus::ok);
  EXPECT_EQ(reason(outcome, 1), "worker_crashed: crashed with SIGSEGV in phase warmup of batch 2");
  EXPECT_EQ(outcome.cells_failed, 1);
}

TEST_F(RunSweep, LaterLaunchesLeaveABatchOutThatEndedAWorker) {
  model::WorkerTask again = eager_task;
  again.launch = 1;
  const std::string script =
      "task=$(cat); case \"$task\" in *'\"batches\":[1,2]'*'\"launch\":1'*) exit 9 ;; esac; " + crashes_at_2;
  const SweepOutcome outcome =
      run_sweep(sample_plan({eager_task, again}), {}, {shell(script), 60}, supervisor, progress);
  EXPECT_EQ(outcome.result.cells[0].launches.size(), 2u);
  EXPECT_THAT(reason(outcome, 1), HasSubstr("SIGSEGV"));
  EXPECT_EQ(progress.last.cells_done, 4);
}

TEST_F(RunSweep, AWorkerThatStopsLeavesTheRestToAnother) {
  model::CellResult failed = ok_cell(eager_task, 2);
  failed.status = CellStatus::failed;
  failed.reason = {"plugin_failed", "launch m: returned 1"};
  const std::string script = "case \"$task\" in *'\"batches\":[1,2]'*) " + sends({.cell = failed}) +
                             sends({.batch = 2, .stopped = true}) + "kill -SEGV $$ ;; *) " +
                             sends({.cell = ok_cell(eager_task, 1)}) + " ;; esac";
  const SweepOutcome outcome = with_whole_ok(sweep_with(script));
  EXPECT_EQ(outcome.result.cells[0].status, CellStatus::ok);
  EXPECT_EQ(reason(outcome, 1), "plugin_failed: launch m: returned 1");
}

TEST_F(RunSweep, AWorkerThatDiesAtEveryBatchIsStartedOnceABatch) {
  const std::string script = "case \"$task\" in *'\"batches\":[1,2]'*) " +
                             sends({.batch = 2, .phase = "warmup"}) + " ;; *'\"batches\":[1]'*) " +
                             sends({.batch = 1, .phase = "capture"}) + " ;; esac; kill -SEGV $$";
  const SweepOutcome outcome = with_whole_ok(sweep_with(script));
  EXPECT_THAT(reason(outcome, 0), HasSubstr("capture of batch 1"));
  EXPECT_THAT(reason(outcome, 1), HasSubstr("warmup of batch 2"));
}

TEST_F(RunSweep, AWorkerThatStopsWithoutAReportIsNotStartedForEver) {
  const SweepOutcome outcome = with_whole_ok(sweep_with(sends({.batch = 2, .stopped = true}) + "exit 0"));
  EXPECT_THAT(reason(outcome, 1), StartsWith("worker_crashed: ended with exit code 0"));
}

TEST_F(RunSweep, ACrashBeforeTheFirstPhaseSaysSo) {
  EXPECT_EQ(reason(sweep_with("kill -KILL $$"), 0),
            "worker_crashed: crashed with SIGKILL before its first phase");
}

TEST_F(RunSweep, AHangCostsTheCellsNotReportedYet) {
  const SweepOutcome outcome =
      with_whole_ok(sweep_with(sends({.batch = 2, .phase = "warmup"}) + "sleep 60", 0.3));
  EXPECT_EQ(reason(outcome, 0),
            "worker_timeout: was silent for more than 0.3 s in phase warmup of batch 2 and was killed");
  EXPECT_EQ(reason(outcome, 1), reason(outcome, 0));
}

TEST_F(RunSweep, AnErrorIsTheReason) {
  const SweepOutcome outcome = with_whole_ok(
      sweep_with(sends({.error = model::Reason{"out_of_memory", "allocate weights: 9 GB"}}) + "exit 1"));
  EXPECT_EQ(reason(outcome, 0), "out_of_memory: allocate weights: 9 GB");
}

TEST_F(RunSweep, AnExitWithoutAWordIsACrash) {
  EXPECT_THAT(reason(sweep_with("exit 0"), 0), StartsWith("worker_crashed: ended with exit code 0"));
  EXPECT_THAT(reason(sweep_with("exit 9"), 0), StartsWith("worker_crashed: ended with exit code 9"));
}

TEST_F(RunSweep, NonsenseIsACrash) {
  for (const std::string script :
       {"echo hello >&3; sleep 60", "echo '{\"event\":\"dance\"}' >&3; sleep 60"}) {
    const SweepOutcome outcome = with_whole_ok(sweep_with(script));
    EXPECT_THAT(reason(outcome, 0), HasSubstr("sent an invalid message"));
  }
}

TEST_F(RunSweep, ACellOfAnotherTaskIsACrash) {
  const SweepOutcome outcome =
      with_whole_ok(sweep_with(sends({.cell = ok_cell(whole_task, 1)}) + "sleep 60"));
  EXPECT_THAT(reason(outcome, 0), HasSubstr("does not measure this cell"));
}

TEST_F(RunSweep, ACrashAfterTheLastCellIsAWarning) {
  const SweepOutcome outcome = with_whole_ok(sweep_with(
      sends({.cell = ok_cell(eager_task, 1)}) + sends({.cell = ok_cell(eager_task, 2)}) + "kill -ABRT $$"));
  EXPECT_EQ(outcome.cells_failed, 0);
  ASSERT_EQ(outcome.warnings.size(), 1u);
  EXPECT_THAT(outcome.warnings[0], HasSubstr("mlp/tiny/fp32/forward/w0/eager failed after its last cell"));
  EXPECT_THAT(outcome.warnings[0], HasSubstr("SIGABRT"));
}

TEST_F(RunSweep, InterruptionKeepsWhatWasMeasured) {
  progress.on_update = [&] {
    if (progress.last.cells_done == 1) ::kill(getpid(), SIGINT);
  };
  const SweepOutcome outcome = sweep_with(sends({.cell = ok_cell(eager_task, 1)}) + "sleep 60");
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_FALSE(outcome.result.complete);
  EXPECT_EQ(outcome.result.cells[0].status, CellStatus::ok);
  for (const std::size_t i : {1u, 2u, 3u}) {
    EXPECT_EQ(outcome.result.cells[i].status, CellStatus::skipped);
    EXPECT_EQ(outcome.result.cells[i].reason->code, "interrupted");
  }
}

TEST_F(RunSweep, WhatWorkersChoseIsListedOnce) {
  const std::string script =
      "case $(cat) in *'\"mode\":\"eager\"'*) " +
      sends({.choices = {{"b", "two", true, false, ""}, {"a", "one", true, false, "serialised"}}}) +
      " ;; *) " + sends({.choices = {{"a", "one", true, true, "engine"}, {"b", "other", true, true, ""}}}) +
      " ;; esac; exit 1";
  const SweepOutcome outcome =
      run_sweep(sample_plan({eager_task, whole_task}), {}, {shell(script), 60}, supervisor, progress);
  using Choice = model::LibraryChoice;
  EXPECT_THAT(
      outcome.result.environment.library_choices,
      testing::ElementsAre(Choice{"a", "one", true, false, "engine"}, Choice{"b", "other", true, true, ""},
                           Choice{"b", "two", true, false, ""}));
}

TEST_F(RunSweep, TheWorkersWordOnTheDeviceReplacesTheProbes) {
  model::DeviceFacts facts{};
  facts.name = "as a worker saw it";
  const SweepOutcome outcome = sweep_with(sends({.device = facts}) + "exit 1");
  EXPECT_EQ(outcome.result.environment.device.name, "as a worker saw it");
}

}  // namespace
}  // namespace graphbench::sweep
