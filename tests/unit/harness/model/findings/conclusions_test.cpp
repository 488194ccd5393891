// Tests conclusions whose rule is simple; tests/golden/findings_test.py tests the numbers of a whole sweep.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/model/findings/findings.hpp"
#include "harness/model/findings/groups.hpp"
#include "harness/model/statistics/cell_summary.hpp"

namespace graphbench::model {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Times {
  double latency;
  double submit = 10e-6;
  double spread = 0.001;  // relative, between launches and also within them
  double device = 0;      // 0: there was no pass for it
};

class ConclusionsTest : public ::testing::Test {
 protected:
  ConclusionsTest() {
    result_.complete = true;
    result_.plan.launches = 5;
    result_.environment.device.kind = "cuda";
  }

  static Summary summary_of(double p50) {
    Summary summary{};
    summary.count = 100;
    summary.min = summary.p50 = summary.mean = summary.max = p50;
    return summary;
  }

  // The times of launches alternate around the given median, by the relative spread.
  CellResult& add(const std::string& mode, std::int64_t batch, const Times& times, std::int64_t warmup = 3) {
    CellResult cell{};
    cell.cell = {"mlp", "base", "bf16", "forward", batch, warmup, mode};
    cell.status = CellStatus::ok;
    for (std::int64_t index = 0; index < result_.plan.launches; ++index) {
      Launch launch{};
      launch.index = index;
      const double factor = 1 + times.spread * static_cast<double>((index + 1) % 3 - 1);
      launch.latency_seconds = summary_of(times.latency * (mode == "eager" ? factor : 1 / factor));
      launch.submit_seconds = summary_of(times.submit);
      if (times.device > 0) launch.device_seconds = summary_of(times.device);
      launch.within = WithinLaunch{times.spread, times.spread, times.spread, {}};
      if (mode != "eager") launch.setup.capture_seconds = 200e-6;
      launch.setup.first_step_seconds = times.latency * factor;
      cell.launches.push_back(launch);
    }
    result_.cells.push_back(std::move(cell));
    return result_.cells.back();
  }

  // The conclusions, each as "code: text".
  std::vector<std::string> found() {
    summarize_cells(result_.cells);
    add_launch_bound(result_.environment.device.kind, result_.cells);
    return as_summarized();
  }
  std::vector<std::string> as_summarized() const {
    std::vector<std::string> lines;
    for (const Conclusion& each : conclusions_of(result_)) lines.push_back(each.code + ": " + each.text);
    return lines;
  }
  std::string text(const std::string& code) {
    for (const std::string& line : found()) {
      if (line.starts_with(code + ": ")) return line;
    }
    return "";
  }

  Result result_;
};

TEST_F(ConclusionsTest, NameTheModeForEachRangeOfBatches) {
  for (const auto& [batch, whole] : {std::pair{1, 50e-6}, {2, 60e-6}, {4, 99.5e-6}, {8, 120e-6}}) {
    add("eager", batch, {100e-6, 95e-6});
    add("whole", batch, {whole});
  }
  EXPECT_THAT(text("use_graphs"), ContainsRegex("Use whole at batch 1, 2, for latency on an idle stream: "
                                                "2.00x .* over eager at batch 1, 1.67x .* at batch 2\\.$"));
  EXPECT_THAT(text("use_either"),
              HasSubstr("At batch 4 graphs gain less than 2 %, so either will do (1.01x ["));
  EXPECT_THAT(text("use_eager"), HasSubstr("Use eager at batch 8: the best graphs gain 0.83x ["));
  EXPECT_THAT(text("payback"),
              ContainsRegex("is paid back after 4 to .* replays, by batch; never at batch 8\\.$"));
  EXPECT_THAT(
      text("enqueueing"),
      HasSubstr(
          "Eager's CPU enqueues for 95 % of the latency at batch 1 to 8: a graph frees that CPU time."));
  EXPECT_EQ(text("bound"), "") << "no device times";
}

TEST_F(ConclusionsTest, TakeAnotherGraphModeWhereItsGainLiesWhollyAbove) {
  add("eager", 1, {100e-6});
  add("whole", 1, {80e-6});
  add("piecewise", 1, {79.9e-6});
  EXPECT_THAT(text("use_graphs"), HasSubstr("Use whole"));
  EXPECT_EQ(text("piecewise_cost"), "piecewise_cost: Piecewise's latency differs from whole's by +0 %.");
  result_.cells.pop_back();
  add("piecewise", 1, {72e-6});
  EXPECT_THAT(text("use_graphs"), HasSubstr("Use piecewise"));
  EXPECT_EQ(text("piecewise_cost"), "piecewise_cost: Piecewise's latency differs from whole's by -10 %.");
}

TEST_F(ConclusionsTest, SayWhatABreakCostsAndHowManyOfThemPay) {
  add("eager", 1, {400e-6});
  add("whole", 1, {100e-6, 2e-6});
  const auto add_pieces = [&](std::int64_t batch, const Times& times) {
    Counters& parts = add("piecewise", batch, times).counters.emplace();
    parts.pieces = 9;
    parts.capturable = 5;
  };
  add_pieces(1, {142e-6, 14e-6});
  EXPECT_EQ(
      text("piecewise_cost"),
      "piecewise_cost: Piecewise's latency differs from whole's by +42 %. A break between pieces costs "
      "10.5us of latency and 3.00us of submit; with at most 28 breaks piecewise stays faster than eager, and "
      "the step has 4.");
  add("eager", 2, {400e-6, 10e-6});
  add("whole", 2, {200e-6, 2e-6});
  add_pieces(2, {278e-6, 14e-6});
  EXPECT_THAT(
      text("piecewise_cost"),
      HasSubstr(
          "by +39 % to +42 %. A break between pieces costs 10.5us to 19.5us of latency and 3.00us of submit; "
          "with at most 10 to 28 breaks piecewise stays faster than eager, and the step has "
          "4."));
  result_.cells.erase(result_.cells.begin() + 3, result_.cells.end());
  result_.cells.back().launches.resize(2);
  EXPECT_THAT(text("piecewise_cost"), Not(HasSubstr("A break"))) << "two launches show no cost";
  result_.cells.pop_back();
  add_pieces(1, {110e-6, 14e-6, 0.2});
  EXPECT_THAT(text("piecewise_cost"), ::testing::EndsWith(" A break between pieces costs 3.00us of submit."));
  result_.cells.erase(result_.cells.begin());
  result_.cells.pop_back();
  add_pieces(1, {140e-6, 2e-6});
  EXPECT_THAT(text("piecewise_cost"), ::testing::EndsWith(" A break between pieces costs 10.0us of latency."))
      << "eager was not measured";
}

TEST_F(ConclusionsTest, PutEagerCellsToTheGraphsThatReferToThem) {
  add("eager", 1, {100e-6});
  add("whole", 1, {50e-6}).cell.more_axes = {{"io", "copy_in"}};
  ASSERT_THAT(text("use_graphs"), HasSubstr("Use whole at batch 1, for latency on an idle stream: 2.00x"));
  const std::vector<Conclusion> all = conclusions_of(result_);
  for (const Conclusion& each : all) EXPECT_EQ(each.subject, "mlp io=copy_in");
  EXPECT_THAT(text("enqueueing"), HasSubstr("enqueues for 10 % of the latency at batch 1:"))
      << "eager's share is said in the same paragraph";

  add("eager", 2, {100e-6});  // no graph cell refers to this one: all eager cells stay together
  found();
  EXPECT_EQ(sections_of(result_.cells).size(), 2u);
}

TEST_F(ConclusionsTest, CannotTellAGainThatIsSmallerThanItsInterval) {
  add("eager", 1, {100e-6, 10e-6, 0.05});
  add("whole", 1, {97e-6, 10e-6, 0.05});
  EXPECT_THAT(
      text("cannot_tell"),
      ContainsRegex("At batch 1 these launches do not show .*faster .1.03x .* over eager.: --launches"));
  EXPECT_THAT(text("payback"),
              AllOf(HasSubstr("When the set-up of whole"), HasSubstr("is paid back: unknown at batch 1.")));
  result_.cells.clear();
  add("eager", 1, {100e-6, 10e-6, 0.4});
  add("whole", 1, {99e-6, 10e-6, 0.4});
  EXPECT_THAT(text("cannot_tell"), ::testing::EndsWith("not even --launches 50 should show it."));
  // Other work is named only if it was seen.
  result_.environment.cores = 2;
  result_.environment.machine.emplace().load_average = 4;
  EXPECT_THAT(text("cannot_tell"), ::testing::EndsWith("should show it, and other work ran: stop it."));
  result_.environment.device.kind = "host";
  EXPECT_THAT(text("cannot_tell"), ::testing::EndsWith("[0.36, 1.98] over eager).")) << "it has no graphs";
}

TEST_F(ConclusionsTest, ShowTheWidestInterval) {
  for (const auto& [batch, latency, spread] :
       {std::tuple{1, 50e-6, 0.001}, {2, 60e-6, 0.05}, {4, 70e-6, 0.001}}) {
    add("eager", batch, {100e-6, 10e-6, spread});
    add("whole", batch, {latency, 10e-6, spread});
  }
  EXPECT_THAT(
      text("use_graphs"),
      ContainsRegex("2.00x .* over eager at batch 1 down to 1.43x .* at batch 4; least certain: 1.67x .* at "
                    "batch 2\\.$"));
}

TEST_F(ConclusionsTest, OfOneLaunchRecommendNothing) {
  result_.plan.launches = 1;
  add("eager", 1, {100e-6, 10e-6, 0.05});
  add("whole", 1, {50e-6, 10e-6, 0.05});
  add("eager", 2, {100e-6, 10e-6, 0.05});
  add("whole", 2, {96e-6, 10e-6, 0.05});
  add("eager", 4, {100e-6, 10e-6, 0.05});
  add("whole", 4, {104e-6, 10e-6, 0.05});
  EXPECT_EQ(text("use_graphs") + text("use_eager") + text("use_either"), "");
  EXPECT_EQ(
      text("cannot_tell"),
      "cannot_tell: At batch 1 to 4 the best graphs gain ~2.00x over eager at batch 1 down to ~0.96x at "
      "batch 4 in one process; "
      "processes differ: --launches 5.");
  EXPECT_THAT(text("payback"), HasSubstr("is paid back after ~4 replays; unknown at batch 2, 4."));
  result_.plan.launches = 2;
  EXPECT_THAT(text("cannot_tell"), HasSubstr(" in 2 processes; processes differ: --launches 5."));
  result_.plan.launches = 5;  // of which most failed
  EXPECT_THAT(text("cannot_tell"), HasSubstr(" in too few processes; processes differ: measure again."));
  EXPECT_THAT(text("payback"), Not(HasSubstr("never")));
}

TEST_F(ConclusionsTest, PutMegabytesOnlyWhereGraphsHaveSome) {
  add("eager", 1, {100e-6});
  CellResult& whole = add("whole", 1, {50e-6});
  EXPECT_EQ(text("cost"), "cost: 1 size: whole takes 200us to set up.") << "the host's, and a foreign step's";
  whole.memory.emplace().pool_bytes = 4 << 20;
  EXPECT_EQ(text("cost"), "cost: 1 size: whole takes 200us to set up, 4.19 MB of memory for their pool.");
  whole.memory->exec_bytes = 1'800'000;
  EXPECT_EQ(
      text("cost"),
      "cost: 1 size: whole takes 200us to set up, ~1.80 MB of memory for graphs, 4.19 MB for their pool.");
}

TEST_F(ConclusionsTest, OfAForeignStepOnTheHostNameNoBound) {
  for (const auto& [batch, device] : {std::pair{1, 92e-6}, {2, 76e-6}, {3, 20e-6}}) {
    add("eager", batch, {100e-6, 95e-6}).cell.preset = "own";
    add("whole", batch, {100e-6, 2e-6, 0.001, device}).cell.preset = "own";
  }
  EXPECT_EQ(text("bound"),
            "bound: Steps are launch-bound at batch 3 (the device idles 80 % of eager's latency) and "
            "device-bound at "
            "batch 1 (the device idles 8 %); it idles 24 % at batch 2.");
  EXPECT_THAT(text("enqueueing"), HasSubstr("enqueues for 95 %"));
  result_.environment.device.kind = "host";
  EXPECT_EQ(text("bound") + text("enqueueing"), "");
  for (CellResult& each : result_.cells) each.cell.preset = "tiny";
  EXPECT_THAT(text("bound"), HasSubstr("launch-bound at batch 3"))
      << "the host's own steps wait for launches too";
}

TEST_F(ConclusionsTest, OfAForeignStepSayWhoseGainItIsAndWhatOneGraphShouldGain) {
  CellResult& eager = add("eager", 1, {100e-6});
  eager.records.emplace();
  eager.records->busy_seconds = 19e-6;
  eager.records->graph_seconds = 20e-6;
  CellResult& graph = add("torch.cudagraphs", 1, {21e-6});
  graph.records.emplace();
  graph.records->kernels = 165;
  graph.records->eager_kernels = 165;
  EXPECT_EQ(text("two_programs"), "");
  EXPECT_THAT(text("bound"),
              HasSubstr("launch-bound at batch 1 (the device idles 81 % of eager's latency); from "
                        "its kernels alone, one graph is predicted to gain 5.00x over eager at "
                        "batch 1."));
  EXPECT_THAT(text("use_graphs"),
              HasSubstr("Use torch.cudagraphs at batch 1, for latency on an idle stream: 4.76x ["));
  result_.cells.back().records->kernels = 42;
  result_.cells.back().records->other_kernels = 123;
  EXPECT_EQ(text("two_programs"),
            "two_programs: The gain does not come from graphs alone, because the programs differ: at batch "
            "1 in torch.cudagraphs, it runs 42 kernels, and eager runs 165 kernels.");
}

TEST_F(ConclusionsTest, SayWhatIsKnownOfAForeignStepsMemory) {
  add("eager", 1, {100e-6}).cell.preset = "own";
  add("whole", 1, {50e-6}).cell.preset = "own";
  EXPECT_EQ(text("memory_unknown"),
            "memory_unknown: What the driver takes for this step's graphs: graphbench bill measures it.");
  EXPECT_EQ(text("memory_kept"), "") << "the step's library said nothing";
  result_.cells[0].library["memory_reserved"] = {"394264576", false};
  result_.cells[1].library["memory_reserved"] = {"511705088", false};
  EXPECT_EQ(text("memory_kept"),
            "memory_kept: PyTorch keeps 394 MB in eager, 512 MB in whole, for all sizes of a mode together.");
  result_.environment.device.kind = "host";
  EXPECT_EQ(text("memory_unknown"), "") << "it has no graphs";
}

TEST_F(ConclusionsTest, DrawTheModeAndTheGainOfEachBatch) {
  for (const auto& [batch, whole] : {std::pair{1, 50e-6}, {4, 99.5e-6}, {8, 120e-6}}) {
    add("eager", batch, {100e-6});
    add("whole", batch, {whole});
  }
  found();
  std::vector<std::string> strip;
  for (const Conclusion& each : conclusions_of(result_)) {
    EXPECT_EQ(each.label, label_of(each.code));
    for (const ShownNumber& number : each.shown) {
      if (number.name == "gain")
        strip.push_back(std::to_string(number.batch.value()) + " " + number.mode + " " + number.text);
    }
  }
  EXPECT_THAT(strip, ::testing::ElementsAre("1 whole 2.00x", "4 either 1.01x", "8 eager 0.83x"));
}

TEST_F(ConclusionsTest, OfTrainingSayWhereTheDeviceTimeGoes) {
  CellResult& eager = add("eager", 1, {100e-6});
  eager.training.emplace();
  EXPECT_EQ(text("phases"), "");
  eager.training->forward_seconds = 30e-6;
  eager.training->backward_seconds = 60e-6;
  eager.training->optimizer_seconds = 10e-6;
  EXPECT_EQ(text("phases"),
            "phases: At 1 forward takes 30 % of eager's device time, backward 60 %, the optimizer 10 %.");
}

TEST_F(ConclusionsTest, OfPiecewiseAloneSpeakOfPiecewise) {
  add("eager", 1, {100e-6});
  add("piecewise", 1, {50e-6});
  EXPECT_THAT(text("use_graphs"), HasSubstr("Use piecewise at batch 1"));
  EXPECT_THAT(text("payback"), HasSubstr("The set-up of piecewise (and 3 warmups) is paid back after"));
  EXPECT_EQ(text("piecewise_cost"), "");
}

TEST_F(ConclusionsTest, AModeThatTookNoGraphIsNotRecommended) {
  const auto graphed = [&](const std::string& mode, std::int64_t batch, std::int64_t kernels) {
    CellResult& cell = add(mode, batch, {50e-6});
    StepRecords& records = cell.records.emplace();
    records.kernels = records.eager_kernels = 5;
    records.graphed_kernels = kernels;
    cell.capture_skips = {{"cpu_device", "cpu device (x)", "step.py:8"}};
  };
  add("eager", 1, {100e-6});
  add("eager", 2, {100e-6});
  graphed("torch.cudagraphs", 1, 0);
  graphed("torch.cudagraphs", 2, 3);
  EXPECT_THAT(text("no_graph"), HasSubstr("torch.cudagraphs took no graph at batch 1, so it has no gain "
                                          "(cpu_device at step.py:8: cpu device (x))."));
  EXPECT_THAT(text("graphed_in_part"),
              HasSubstr("At batch 2 torch.cudagraphs ran 3 of 5 kernels (60 %) in graphs"));
  EXPECT_THAT(text("use_graphs"), AllOf(HasSubstr("at batch 2"), Not(HasSubstr("batch 1"))));
  result_.cells.erase(result_.cells.begin() + 1);
  result_.cells.pop_back();
  EXPECT_EQ(text("no_reference") + text("use_graphs"), "");
}

TEST_F(ConclusionsTest, TellHowLongCompilersTookColdAndFromTheirCache) {
  add("eager", 1, {100e-6});
  CellResult& cell = add("torch.reduce-overhead", 1, {50e-6});
  for (Launch& launch : cell.launches) {
    launch.setup.compiled_from = launch.index == 0 ? "cold" : "cache";
    launch.setup.opening.compile_seconds = launch.index == 0 ? 14 : 2;
    launch.setup.opening.record_seconds = 1;
  }
  EXPECT_THAT(
      text("cost"),
      HasSubstr("torch.reduce-overhead takes 3.00s to set up (compiled: 14.0s cold, 2.00s from the cache)"));
  EXPECT_THAT(text("payback"), HasSubstr("60.0k replays"));
}

TEST_F(ConclusionsTest, SayWhatHasNoNumbersAndWhyNoGainIsKnown) {
  CellResult& eager = add("eager", 1, {100e-6});
  eager.status = CellStatus::failed;
  eager.reason = Reason{"out_of_memory", "1 GiB is free"};
  eager.launches.clear();
  add("whole", 1, {50e-6});
  EXPECT_EQ(text("not_measured"), "not_measured: No results of eager at 1 (out_of_memory).");
  EXPECT_THAT(text("no_reference"), HasSubstr("add eager to --mode"));
  EXPECT_EQ(text("use_graphs") + text("payback") + text("bound"), "");
  result_.cells.clear();
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(ConclusionsTest, OfOneBatchAtSeveralWarmupsSayOnlyHowManyAreEnough) {
  for (const auto& [warmup, first] : {std::pair{0, 12e-3}, {1, 50.1e-6}, {3, 50e-6}, {10, 50e-6}}) {
    add("eager", 8, {100e-6}, warmup);
    add("whole", 8, {50e-6}, warmup);
    for (Launch& launch : result_.cells.back().launches) launch.setup.first_step_seconds *= first / 50e-6;
  }
  EXPECT_THAT(found(),
              ::testing::ElementsAre(
                  "warmups: 1 warmup is enough (whole's first step at batch 8: 12.0ms with 0 warmups, "
                  "50.0us at best)."));
  // Wide intervals overlap, so they do not show how many warmups are enough.
  for (CellResult& cell : result_.cells) {
    double factor = 0.1;
    for (Launch& launch : cell.launches) launch.setup.first_step_seconds *= factor *= 5;
  }
  EXPECT_THAT(text("warmups"), HasSubstr("how many warmups are enough: --launches 10 may show it."));
  for (CellResult& cell : result_.cells) cell.launches.resize(2);
  EXPECT_THAT(text("warmups"), HasSubstr("how many warmups are enough: --launches 10 may show it."));
}

TEST_F(ConclusionsTest, AreOfTheMiddleWarmupCountWhereThereAreSeveral) {
  for (const std::int64_t warmup : {0, 1, 3, 10}) {
    for (const std::int64_t batch : {1, 2}) {
      add("eager", batch, {100e-6}, warmup);
      add("whole", batch, {warmup >= 3 ? 50e-6 : 90e-6}, warmup);
    }
  }
  EXPECT_THAT(text("use_graphs"), HasSubstr("Use whole at batch 1, 2, for latency on an idle stream: 2.00x"));
  EXPECT_THAT(text("warmups"), HasSubstr("3 warmups are enough"));
}

TEST_F(ConclusionsTest, NameVariantsBehindTheirWorkload) {
  add("eager", 1, {100e-6});
  add("eager", 1, {100e-6}).cell.more_axes = {{"prepare", "first-use"}};
  add("eager", 1, {100e-6}).cell.dtype = "fp32";
  summarize_cells(result_.cells);
  std::vector<std::string> subjects;
  for (const Conclusion& each : conclusions_of(result_)) subjects.push_back(each.subject);
  EXPECT_THAT(subjects, ::testing::ElementsAre("mlp bf16", "mlp bf16 prepare=first-use", "mlp fp32"));
}

TEST_F(ConclusionsTest, NeedNothingThatKeptEvidenceLacks) {
  for (const std::int64_t batch : {1, 2}) {
    add("eager", batch, {100e-6, 95e-6});
    add("whole", batch, {50e-6}).launches.front().latency_samples = {1, 2, 3};
  }
  const std::vector<std::string> before = found();
  for (CellResult& cell : result_.cells) keep_evidence(cell);
  EXPECT_EQ(as_summarized(), before);
  EXPECT_THAT(result_.cells.back().launches.front().latency_samples, IsEmpty());
}

TEST_F(ConclusionsTest, SayWhereStepTimesAreStairsAndWhichSizesToCapture) {
  const auto tiles_of_16 = [this](const std::vector<std::int64_t>& sizes, double spread) {
    result_.cells.clear();
    for (const std::int64_t size : sizes) {
      const auto tiles = static_cast<double>((size + 15) / 16);
      add("whole", size, {.latency = (80 + 17 * tiles) * 1e-6, .spread = spread});
    }
    return text("stairs");
  };
  std::vector<std::int64_t> dense(40);
  for (std::int64_t i = 0; i < 40; ++i) dense[static_cast<std::size_t>(i)] = i + 1;
  EXPECT_EQ(
      tiles_of_16(dense, 0.001),
      "stairs: Step times of whole are stairs: 16 to 17 costs 18 %, 17 to 32 are free; 32 to 33 costs 15 %, "
      "33 to 40 are free: capture 16, 32 and 40.");
  EXPECT_EQ(tiles_of_16({1, 2, 4, 8, 16, 32, 64}, 0.001), "") << "17 to 31 were not measured";
  EXPECT_EQ(tiles_of_16(dense, 0.2), "") << "launches differ by more than the jumps";
  result_.cells.clear();
  for (const std::int64_t size : dense)
    add("whole", size, {.latency = (80 + 4.0 * static_cast<double>(size)) * 1e-6});
  EXPECT_EQ(text("stairs"), "") << "a slope";
}

}  // namespace
}  // namespace graphbench::model
