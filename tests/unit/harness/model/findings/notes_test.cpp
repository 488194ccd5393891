// Tests which notes a result gets, and that a clean result gets only the judgement.
#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

#include "harness/model/findings/findings.hpp"
#include "tests/golden/sample_results.hpp"

namespace graphbench::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Result clean_result() {
  Result result = samples::default_sweep_result();
  result.plan.launches = 5;
  return result;
}

std::vector<std::string> codes_of(const Result& result) {
  std::vector<std::string> codes;
  for (const Note& note : notes_of(result)) codes.push_back(note.code);
  return codes;
}

// Makes the latency of the first `cells` uncertain, and of the others certain.
void make_uncertain(Result& result, std::size_t cells) {
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    auto& latency = result.cells[i].summary.latency_seconds;
    if (!latency) continue;
    const double factor = i < cells ? 1.12 : 1.02;
    latency->ci95_low = latency->p50 / factor;
    latency->ci95_high = latency->p50 * factor;
  }
}

TEST(Notes, OfACleanResultAreItsTrust) {
  const std::vector<Note> notes = notes_of(clean_result());
  ASSERT_THAT(notes, SizeIs(1));
  EXPECT_EQ(notes.front().code, "trust_high");
  EXPECT_EQ(notes.front().text, "trust: high");
  EXPECT_THAT(notes.front().cells, SizeIs(0));
}

TEST(Notes, SayWhichOptionsHadNoEffect) {
  Result result = clean_result();
  result.plan.without_effect = {"io-addresses: \"rotate\" would change no cell"};
  const std::vector<Note> notes = notes_of(result);
  ASSERT_THAT(notes, SizeIs(2));
  EXPECT_EQ(notes[1].code, "without_effect");
  EXPECT_EQ(notes[1].text, result.plan.without_effect.front());
}

void graphed(Result& r, std::optional<std::int64_t> kernels) {
  r.cells[3].cell.mode = "torch.cudagraphs";
  r.cells[3].records.emplace().kernels = 5;
  r.cells[3].records->graphed_kernels = kernels;
  if (kernels) r.cells[3].summary.graphed = static_cast<double>(*kernels) / 5;
  r.cells[3].capture_skips = {{"cpu_device", "cpu device (x)", "step.py:8"}, {"other", "more", ""}};
}

TEST(Notes, NameWhatIsNotClean) {
  const auto expect = [](void (*spoil)(Result&), const std::string& code, const char* words) {
    Result result = clean_result();
    spoil(result);
    ASSERT_THAT(codes_of(result), ElementsAre("trust_high", code));
    EXPECT_THAT(notes_of(result)[1].text, HasSubstr(words));
  };
  expect([](Result& r) { r.complete = false; }, "interrupted", "interrupted");
  expect([](Result& r) { r.environment.device.kind = "host"; }, "host_device", "not of a GPU");
  expect(
      [](Result& r) {
        r.environment.device.kind = "host";
        r.environment.no_gpu = "the driver sees no GPU";
      },
      "host_device", "not of a GPU: the driver sees no GPU");
  expect(
      [](Result& r) {
        r.environment.device.kind = "host";
        r.environment.device.libraries = {{"torch", "2.11"}};
      },
      "host_device", "only in mode eager");
  expect([](Result& r) { r.cells[3].check->identical = false; }, "outputs_differ", "1 cell: outputs differ");
  expect(
      [](Result& r) {
        r.cells[3].check->identical = false;
        r.cells[3].check->tolerated = "outputs differ by 1e-7";
      },
      "outputs_near", "1 cell: outputs differ by 1e-7");
  expect([](Result& r) { r.cells[3].check->remarks = {"it shows nothing"}; }, "check_remark",
         "1 cell: it shows nothing");
  expect([](Result& r) { r.cells[3].check->inputs.emplace().kept_because = "both builds are equal"; },
         "inputs_kept", "values that the step was built with: both builds are equal");
  expect(
      [](Result& r) {
        r.cells[3].library["busy_threads"] = {"loader", true};
      },
      "busy_threads", "thread loader was busy");
  expect([](Result& r) { graphed(r, 0); }, "no_graph",
         "(cpu_device at step.py:8: cpu device (x); and 1 more)");
  expect([](Result& r) { graphed(r, 2); }, "graphed_in_part", "2 of 5 kernels (40 %) ran in graphs");
  expect([](Result& r) { graphed(r, {}); }, "graphs_unknown", "it is unknown which part");
  expect([](Result& r) { r.cells[3].fallback = "eager"; }, "ran_eager", "the mode cannot hold the step");
  expect(
      [](Result& r) {
        r.cells[3].caller_io.emplace().refused = Reason{"graph_update_failed", "piece 0"};
      },
      "updates_refused", "graph_update_failed");
  expect(
      [](Result& r) {
        r.cells[3].paths = {{"conv2d:im2col", "no plan", 1}};
      },
      "slow_path", "1 cell: computed by `conv2d:im2col`, which is not the fastest kernel: no plan");
  expect([](Result& r) { r.cells[3].launches.front().sustained.emplace().stopped_by = "time"; },
         "never_steady", "raise --sustained");
  expect(
      [](Result& r) {
        r.environment.profiler = InstrumentState{false, "no CUPTI"};
      },
      "no_profile", "no CUPTI");
  expect(
      [](Result& r) {
        r.environment.monitor = InstrumentState{false, "no NVML"};
      },
      "no_monitor", "no NVML");
}

// What cell 1 adds cannot be why it gains.
TEST(Notes, NameTheCellsAndTheFirstThatLeavesOutEagersWork) {
  Result result = clean_result();
  for (const std::size_t i : {1u, 2u, 4u}) {
    StepRecords& records = result.cells[i].records.emplace();
    records.eager_kernels = 165;
    records.eager_copies = 0;
    records.kernels = i == 1 ? 165 : 376;
    records.other_kernels = i == 1 ? 0 : 213;
    records.copies = records.other_copies = i == 1 ? 16 : 0;
    if (i > 1) records.differences = {"1 eager, 0 here: attention"};
  }
  const std::vector<Note> notes = notes_of(result);
  ASSERT_THAT(notes, SizeIs(2));
  EXPECT_THAT(
      notes[1].text,
      HasSubstr(
          id_of(result.cells[2].cell) +
          ": it runs 376 kernels and 0 copies, and eager runs 165 kernels and 0 copies: 1 eager, 0 here"));
  EXPECT_THAT(notes[1].cells, ElementsAre(id_of(result.cells[2].cell), id_of(result.cells[4].cell)));
}

TEST(Notes, DoubtAMachineForWhatDisturbsItAndSayWhatToDo) {
  Result result = clean_result();
  CpuState& state = result.environment.machine.emplace();
  result.environment.cores = 2;
  state.load_average = 5.4;
  EXPECT_EQ(trust_in(result.environment).text, "trust: low (load 5.4 on 2 cores): stop other work");
  state.load_average = 0.1;
  make_uncertain(result, 71);
  result.plan.launches = 3;
  EXPECT_EQ(notes_of(result).front().text,
            "trust: low (71 of 324 cells known to no better than 10 %: 24 eager, 23 piecewise, 24 whole): "
            "--launches 5 instead of 3");
  EXPECT_THAT(notes_of(result).front().cells, SizeIs(71));
  result.cells.front().launches.front().machine.emplace().cpu_slowdown = 1.5;
  EXPECT_EQ(notes_of(result).front().text,
            "trust: low (71 of 324 cells known to no better than 10 %: 24 eager, 23 piecewise, 24 whole): "
            "stop other work, then --launches 5 instead of 3");
  result.plan.launches = 10;
  EXPECT_THAT(notes_of(result).front().text, HasSubstr("--launches 20 instead of 10"));
  make_uncertain(result, 0);
  result.plan.launches = 1;
  EXPECT_EQ(notes_of(result).front().text, "trust: low (1 launch): --launches 5");
}

TEST(Notes, DoubtEachStateOfTheCpuThatMakesTimesLonger) {
  const auto expect = [](void (*spoil)(Environment&), const std::string& text) {
    Environment environment = clean_result().environment;
    environment.machine.emplace();
    EXPECT_EQ(trust_in(environment).code, "trust_high");
    spoil(environment);
    EXPECT_EQ(trust_in(environment).text, "trust: low (" + text);
  };
  expect([](Environment& e) { e.machine->governor = "powersave"; },
         "CPU governor powersave): cpupower frequency-set -g performance");
  expect([](Environment& e) { e.machine->cpu_quota = 1.5; }, "a quota of 1.5 CPUs): raise the quota to 2");
  expect([](Environment& e) { e.machine->pinned = false; },
         "the submitting thread was not pinned): leave out --no-pin");
  expect([](Environment& e) { e.machine->submitter.emplace().locality = "far"; },
         "the submitting CPU is far from the GPU): start graphbench on a CPU near the GPU (taskset)");
  expect([](Environment& e) { e.machine->submitter.emplace().cores = "efficiency"; },
         "the submitting CPU is an efficiency core): start graphbench on a performance core (taskset)");
}

void throttle(CellResult& cell, const std::string& reason) {
  LaunchMachine& machine = cell.launches.front().machine.emplace();
  machine.throttled = true;
  machine.after.emplace().throttle = {reason};
}

TEST(Notes, DoNotDoubtForFewCells) {
  Result result = clean_result();
  for (std::size_t i = 0; i < 16; ++i) throttle(result.cells[i], "hw_thermal_slowdown");
  EXPECT_EQ(notes_of(result).front().code, "trust_high");
  throttle(result.cells[16], "hw_thermal_slowdown");
  EXPECT_THAT(notes_of(result).front().text, HasSubstr("17 of 324 cells throttled by hw_thermal_slowdown: 6 "
                                                       "eager, 5 piecewise, 6 whole): let the device cool"));
  // In fewer than half of a cell's launches, heat does not move the median.
  const Launch cool = samples::default_sweep_result().cells.front().launches.front();
  for (CellResult& cell : result.cells) cell.launches.insert(cell.launches.end(), 2, cool);
  EXPECT_EQ(notes_of(result).front().code, "trust_high");
  make_uncertain(result, 16);
  EXPECT_EQ(notes_of(result).front().code, "trust_high");
}

TEST(Notes, TakeTheCardsPowerLimitForAFact) {
  Result result = clean_result();
  for (std::size_t i = 0; i < 20; ++i) throttle(result.cells[i], "sw_power_cap");
  EXPECT_EQ(notes_of(result).front().code, "trust_high");
  EXPECT_EQ(codes_of(result).back(), "power_limit");
  EXPECT_THAT(notes_of(result).back().text, HasSubstr("20 of 324 cells"));
  EXPECT_THAT(notes_of(result).back().cells, SizeIs(20));
}

TEST(Notes, SayWhereDeviceTimeIsSurelyAboveLatency) {
  Result result = clean_result();
  result.cells[3].summary.latency_seconds = Estimate{16e-6, 15e-6, 17e-6, {}, {}};
  result.cells[3].summary.device_seconds = Estimate{20e-6, 19e-6, 21e-6, {}, {}};
  EXPECT_EQ(codes_of(result).back(), "device_above_latency");
  EXPECT_THAT(notes_of(result).back().text,
              HasSubstr("1 cell: device time is above latency (20.0us above 16.0us"));
  result.cells[3].summary.device_seconds->ci95_low = 16.5e-6;
  EXPECT_EQ(codes_of(result).back(), "trust_high") << "the intervals overlap";
}

}  // namespace
}  // namespace graphbench::model
