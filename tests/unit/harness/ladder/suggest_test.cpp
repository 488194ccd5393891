// Tests that the suggested ladder is the best of all subsets of the sizes, for any times and budgets.
#include "harness/ladder/suggest.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <random>
#include <regex>
#include <set>
#include <sstream>

#include "harness/ladder/suggestions.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/sample_plan.hpp"

namespace graphbench::ladder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The cost of a subset of the candidates, by definition. Absent if the subset exceeds a budget.
std::optional<Choice> cost_of(const SuggestProblem& problem, unsigned subset) {
  std::vector<Candidate> chosen;
  for (std::size_t i = 0; i < problem.candidates.size(); ++i) {
    if ((subset >> i & 1u) != 0) chosen.push_back(problem.candidates[i]);
  }
  Choice cost;
  for (const Candidate& each : chosen) {
    cost.sizes.push_back(each.size);
    cost.startup_seconds += each.startup_seconds;
    cost.memory_bytes += each.exec_bytes;
  }
  double pool = 0;
  for (const Candidate& each : chosen) pool = std::max(pool, each.pool_bytes);
  cost.memory_bytes += pool;
  if (problem.sizes_max && chosen.size() > static_cast<std::size_t>(*problem.sizes_max)) return std::nullopt;
  if (problem.memory_bytes && cost.memory_bytes > *problem.memory_bytes) return std::nullopt;
  if (problem.startup_seconds && cost.startup_seconds > *problem.startup_seconds) return std::nullopt;
  for (const auto& [rows, count] : problem.steps) {
    const auto fits =
        std::ranges::find_if(chosen, [&, rows = rows](const Candidate& each) { return each.size >= rows; });
    cost.seconds +=
        static_cast<double>(count) * (fits == chosen.end() ? problem.eager.at(rows) : fits->step_seconds);
  }
  return cost;
}

// All times and bytes are whole numbers, so that sums are exact in any order.
SuggestProblem random_problem(std::mt19937_64& random) {
  const auto up_to = [&](std::uint64_t most) { return static_cast<double>(random() % most + 1); };
  SuggestProblem problem;
  std::int64_t size = 0;
  for (std::uint64_t i = 0; i < 2 + random() % 8; ++i) {
    size += 1 + static_cast<std::int64_t>(random() % 4);
    problem.candidates.push_back({size, up_to(20), up_to(9), up_to(9), up_to(30)});
  }
  for (std::uint64_t i = 0; i < 1 + random() % 12; ++i) {
    const std::int64_t rows = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size + 4));
    problem.steps[rows] = static_cast<std::int64_t>(up_to(9));
    problem.eager[rows] = up_to(25);
  }
  if (random() % 2 == 0) problem.sizes_max = 1 + static_cast<std::int64_t>(random() % 5);
  if (random() % 2 == 0) problem.memory_bytes = up_to(60);
  if (random() % 2 == 0) problem.startup_seconds = up_to(30);
  return problem;
}

TEST(Suggestion, EqualsBruteForceOnSmallRandomCasesForEveryNumberOfSizes) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    const SuggestProblem problem = random_problem(random);
    std::map<std::size_t, double> best;  // number of sizes -> least seconds
    for (unsigned subset = 0; subset < 1u << problem.candidates.size(); ++subset) {
      const std::optional<Choice> cost = cost_of(problem, subset);
      if (!cost) continue;
      const auto [at, inserted] = best.emplace(cost->sizes.size(), cost->seconds);
      if (!inserted) at->second = std::min(at->second, cost->seconds);
    }
    const std::vector<Choice> found = best_ladders(problem);
    std::size_t next = 0;
    double least = HUGE_VAL;
    for (const auto& [count, seconds] : best) {
      if (seconds >= least) continue;
      least = seconds;
      ASSERT_LT(next, found.size()) << round;
      EXPECT_EQ(found[next].sizes.size(), count) << round;
      EXPECT_EQ(found[next].seconds, seconds) << round;
      unsigned subset = 0;
      for (std::size_t i = 0; i < problem.candidates.size(); ++i)
        subset |= static_cast<unsigned>(std::ranges::count(found[next].sizes, problem.candidates[i].size))
                  << i;
      const std::optional<Choice> same = cost_of(problem, subset);
      ASSERT_TRUE(same.has_value()) << "beyond a budget";
      EXPECT_EQ(same->seconds, seconds);
      EXPECT_EQ(same->memory_bytes, found[next].memory_bytes);
      EXPECT_EQ(same->startup_seconds, found[next].startup_seconds);
      ++next;
    }
    EXPECT_EQ(next, found.size()) << round;
  }
}

TEST(Suggestion, TakesALargerSizeWhereThatIsFasterAndNoGraphWhereEagerIs) {
  SuggestProblem problem;
  problem.steps = {{3, 10}};
  problem.eager = {{3, 9.0}};
  problem.candidates = {{3, 5.0}, {4, 1.0}};
  EXPECT_THAT(best_ladders(problem).back().sizes, ElementsAre(4));
  problem.eager = {{3, 0.5}};
  EXPECT_THAT(best_ladders(problem).back().sizes, IsEmpty());
}

TEST(Problem, PricesWhatWasNotMeasuredAsTheNextLargerMeasuredSize) {
  Measurements measured;
  measured.step_seconds = {{2, 1.0}, {6, 3.0}, {7, 2.5}};
  measured.startup_seconds = {{2, 0.1}, {6, 0.3}};
  measured.eager = {{2, 2.0}, {6, 4.0}, {9, 7.0}};
  const SuggestProblem problem = problem_of(measured, {4, 4, 1, 9}, "--suggest");
  ASSERT_EQ(problem.candidates.size(), 3u);
  EXPECT_TRUE(problem.candidates[1].measured);
  EXPECT_EQ(problem.steps.at(4), 2);
  EXPECT_DOUBLE_EQ(problem.eager.at(4), 4.0);
  EXPECT_DOUBLE_EQ(problem.eager_least.at(4), 2.0);
  for (const auto* eager : {&problem.eager, &problem.eager_least}) EXPECT_DOUBLE_EQ(eager->at(1), 2.0);
  // 4 is the largest multiple of 4 that is priced as 6 and as 7; none is up to 2.
  const SuggestProblem multiples = problem_of(measured, {1, 5}, "--suggest", 4);
  ASSERT_EQ(multiples.candidates.size(), 1u);
  EXPECT_EQ(multiples.candidates[0].size, 4);
  EXPECT_DOUBLE_EQ(multiples.candidates[0].step_seconds, 3.0);
  EXPECT_FALSE(multiples.candidates[0].measured);
  EXPECT_DOUBLE_EQ(cost_of(measured, problem, {3, 7})->seconds, 3.0 + 2 * 2.5 + 7.0);
  EXPECT_FALSE(cost_of(measured, problem, {3, 8}));
  EXPECT_THAT(test::refusal([&] { problem_of(measured, {10}, "--suggest"); }),
              testing::AllOf(HasSubstr("10 rows"), HasSubstr("9 is the largest measured size")));
  Measurements steps_only, eager_only;
  steps_only.step_seconds = eager_only.eager = {{1, 1.0}};
  for (const Measurements& part : {Measurements(), steps_only, eager_only}) {
    EXPECT_THAT(test::refusal([&] { problem_of(part, {1}, "--suggest"); }),
                HasSubstr("so nothing can be suggested"));
  }
}

TEST(Memory, OfALadderIsItsGraphsAndTheLargestPool) {
  Measurements measured;
  measured.exec_bytes = {{2, 10}, {4, 20}, {6, 40}};
  measured.pool_bytes = {{2, 300}, {4, 100}, {6, 200}};
  EXPECT_DOUBLE_EQ(memory_of(measured, {4, 6}, "--memory"), 60 + 200);
  EXPECT_DOUBLE_EQ(memory_of(measured, {2, 5}, "--memory"), 10 + 30 + 300);
  EXPECT_THROW(memory_of(measured, {1}, "--memory"), InputError);
  measured.exec_bytes.clear();  // no driver reports them
  EXPECT_DOUBLE_EQ(memory_of(measured, {4, 6}, "--memory"), 200);
}

std::vector<Suggestion> suggest_all(const auto& results, const std::vector<std::int64_t>& rows,
                                    const std::string& where = "--suggest") {
  std::vector<Suggestion> made;
  for (const MeasuredGroup& each : measured_groups(results, where))
    made.push_back(suggest(each, {rows, {}}, {}));
  return made;
}

Ladder ladder_of(const std::string& id, const std::string& mode, std::vector<LadderSize> sizes,
                 std::vector<LadderEager> eager) {
  Ladder ladder;
  ladder.id = id;
  ladder.role = id;
  ladder.cell.mode = mode;
  LadderLaunch& launch = ladder.launches.emplace_back();
  launch.sizes = std::move(sizes);
  launch.eager = std::move(eager);
  for (const LadderSize& each : launch.sizes) ladder.sizes.push_back(each.size);
  return ladder;
}

// Calibrated times are much shorter than the served one, so a test notices which of them is used.
LadderSize size_of(std::int64_t size, double served) {
  LadderSize made;
  made.size = size;
  made.step_seconds = made.eager_seconds = 0.001;
  made.served_seconds = served;
  return made;
}
LadderEager eager_of(std::int64_t rows, double served) {
  return {.rows = rows, .uses = 1, .step_seconds = 0.001, .served_seconds = served};
}

TEST(Suggestion, UsesWhatRivalsMeasuredOfFurtherSizes) {
  const auto asked = ladder_of("asked", "whole", {size_of(1, 1), size_of(4, 4)}, {});
  const auto every = ladder_of("every", "whole", {size_of(1, 5), size_of(2, 1.5)}, {});
  const auto other = ladder_of("engine", "piecewise", {size_of(3, 0.1)}, {});
  const auto eager = ladder_of("eager", "eager", {}, {eager_of(1, 9), eager_of(2, 9), eager_of(3, 0.5)});
  const auto made = suggest_all(std::vector{asked, every, other, eager}, {1, 2, 2, 3});
  ASSERT_EQ(made.size(), 1u);
  EXPECT_THAT(made[0].sizes, ElementsAre(1, 2));
  EXPECT_THAT(made[0].interpolated, IsEmpty());
  EXPECT_DOUBLE_EQ(made[0].step_seconds, (1 + 2 * 1.5 + 0.5) / 4);
}

TEST(Suggestion, AddsUpMeansOfServedStepsOverLaunches) {
  auto asked = ladder_of("asked", "whole", {size_of(2, 1.0)}, {});
  auto eager = ladder_of("eager", "eager", {}, {eager_of(2, 5.0)});
  for (const double longer : {1.5, 3.5}) {
    asked.launches.push_back(asked.launches[0]);
    asked.launches.back().sizes[0].served_seconds = longer;
    eager.launches.push_back(eager.launches[0]);
    eager.launches.back().eager[0].served_seconds = longer + 6;
  }
  const auto made = suggest_all(std::vector{asked, eager}, {2, 2, 2});
  ASSERT_EQ(made.size(), 1u);
  EXPECT_DOUBLE_EQ(made[0].step_seconds, 2.0);
  EXPECT_DOUBLE_EQ(made[0].eager_step_seconds, (5.0 + 7.5 + 9.5) / 3);
  EXPECT_EQ(made[0].no_suggestion, "");
}

TEST(Suggestion, FromASweepAddsUpMeansToo) {
  std::vector<model::CellResult> cells(2);
  for (model::CellResult& each : cells) {
    each.status = model::CellStatus::ok;
    each.cell.batch = 2;
    model::Launch& launch = each.launches.emplace_back();
    launch.latency_seconds = model::Summary{};
    launch.latency_seconds->p50 = 1.0;
    each.cell.mode = &each == &cells[0] ? "whole" : "eager";
    launch.latency_seconds->mean = &each == &cells[0] ? 1.25 : 3.5;
  }
  const auto made = suggest_all(cells, {1, 2}, "sweep.json");
  ASSERT_EQ(made.size(), 1u);
  EXPECT_DOUBLE_EQ(made[0].step_seconds, 1.25);
  EXPECT_DOUBLE_EQ(made[0].eager_step_seconds, 3.5);
}

model::CellResult measured_cell(const std::string& mode, std::int64_t warmup, double mean) {
  model::CellResult made{};
  made.status = model::CellStatus::ok;
  made.cell = {"mlp", "base", "bf16", "forward", 2, warmup, mode};
  model::Launch& launch = made.launches.emplace_back();
  launch.latency_seconds = model::Summary{};
  launch.latency_seconds->mean = mean;
  return made;
}

TEST(Suggestion, LeavesGraphsAsideThatHaveNoEagerCell) {
  model::CellResult alone = measured_cell("whole", 3, 1.0);
  alone.cell.more_axes["prepare"] = "first-use";  // as in the second grid of a default sweep
  const std::vector<model::CellResult> cells = {
      alone, measured_cell("whole", 3, 1.25), measured_cell("eager", 3, 3.5), measured_cell("whole", 0, 1.0)};
  const auto made = suggest_all(cells, {1, 2}, "sweep.json");
  ASSERT_EQ(made.size(), 1u);
  EXPECT_DOUBLE_EQ(made[0].step_seconds, 1.25);
  const auto refused = [](const std::vector<model::CellResult>& from) {
    return test::refusal([&] { return suggest_all(from, {1, 2}, "sweep.json"); });
  };
  EXPECT_EQ(
      refused({cells[0], cells[3]}),
      "sweep.json: no group of graphs has eager cells (mlp/base/bf16/forward/w3/whole/prepare=first-use, "
      "and 1 more), so nothing can be suggested: sweep eager too");
  EXPECT_EQ(refused({cells[2]}),
            "sweep.json: the result has no measured graph, so nothing can be suggested: sweep a graph mode");
  EXPECT_THAT(test::refusal([&] {
                return suggest_all(cells, {1, 9}, "sweep.json");
              }),
              testing::StartsWith("sweep.json: mlp/base/bf16/forward/w3/whole: steps have up to 9 rows"));
}

// A ladder with one launch per mean: the steps that launch i served took means[i] on average.
Ladder served_in(const std::string& mode, std::vector<std::int64_t> sizes, const std::vector<double>& means) {
  Ladder ladder;
  ladder.id = mode;
  ladder.cell.mode = mode;
  ladder.sizes = std::move(sizes);
  ladder.traffic.digest = Trace().digest();
  for (const double mean : means) {
    const auto index = static_cast<std::int64_t>(ladder.launches.size());
    LadderLaunch& launch = ladder.launches.emplace_back();
    launch.index = index;
    launch.busy_seconds = 0.8 * mean;  // another number on purpose: the geometric mean over placements
    launch.latency_seconds = model::Summary{};
    launch.latency_seconds->mean = mean;
    launch.memory.pool_bytes = 1000;
    launch.memory.exec_bytes = 24;
  }
  return ladder;
}

// Verifies a suggestion that predicts 1 s per step (1.2 s if it has no sizes), and 1.2 s for eager steps.
Suggestion verified(const std::vector<Ladder>& ladders, std::vector<std::int64_t> sizes = {2}) {
  std::vector<Suggestion> made(1);
  made[0].rivals = {{.name = "powers", .sizes = {4}}};
  made[0].cell.mode = "whole";
  made[0].step_seconds = sizes.empty() ? 1.2 : 1;
  if (sizes.empty()) made[0].no_suggestion = "capture nothing: no measured size fits --memory";
  made[0].sizes = std::move(sizes);
  made[0].eager_step_seconds = 1.2;
  add_verification(ladders, made);
  return made[0];
}

TEST(ServedMemory, IsThatOfAnyLadderOfTheSuggestedSizes) {
  std::vector<Suggestion> made(2);
  for (Suggestion& each : made) each.cell.mode = "whole";
  made[0].sizes = {2};
  made[1].sizes = {2, 4};
  add_memory({served_in("whole", {2}, {1.0})}, made);
  EXPECT_EQ(made[0].verified_memory_bytes, 1024);
  EXPECT_EQ(made[1].verified_memory_bytes, std::nullopt);
  EXPECT_EQ(made[0].verified_by, "");
  // A ladder that keeps fewer graphs than it has sizes.
  Ladder few = served_in("whole", {2, 4}, {1.0});
  few.policy.graphs_max = 1;
  add_memory({few}, made);
  EXPECT_EQ(made[1].verified_memory_bytes, std::nullopt);
}

TEST(Verification, IsASuggestionWhereItsServiceAgreesAndItGainsForSure) {
  const Suggestion made =
      verified({served_in("whole", {2}, {1.0, 1.01, 1.02}), served_in("eager", {}, {1.2, 1.21, 1.25})});
  EXPECT_EQ(made.no_suggestion, "");
  EXPECT_EQ(made.verified_by, "whole");
  EXPECT_DOUBLE_EQ(made.verified_step_seconds.value(), 1.01);
  EXPECT_DOUBLE_EQ(made.eager_verified_step_seconds.value(), 1.22);
  EXPECT_DOUBLE_EQ(made.over_eager.value(), 1.22 / 1.01);
  EXPECT_GT(made.over_eager_ci95_low.value(), 1);
  EXPECT_LT(made.over_eager_ci95_low.value(), *made.over_eager);
  EXPECT_GT(made.over_eager_ci95_high.value(), *made.over_eager);
}

TEST(Verification, SaysWhyThereIsNone) {
  const auto eager = served_in("eager", {}, {1.2, 1.2, 1.2});
  const auto graphs = [](double mean) { return served_in("whole", {2}, {mean, mean, mean}); };
  EXPECT_EQ(verified({}).verified_by, "");
  EXPECT_EQ(verified({graphs(1), served_in("whole", {4}, {1, 1, 1})}).verified_by, "");
  EXPECT_EQ(verified({served_in("piecewise", {2}, {1, 1, 1}), eager}).verified_by, "");
  auto lazy = graphs(1);
  lazy.policy.when = CaptureWhen::lazy;
  EXPECT_EQ(verified({lazy, eager}).verified_by, "");
  EXPECT_EQ(verified({served_in("whole", {2}, {1, 1}), eager}).no_suggestion, "fewer than 3 launches");
  EXPECT_EQ(verified({served_in("whole", {2}, {0.8, 1, 1.2}), eager}).no_suggestion,
            "the gain over eager is not certain");
  EXPECT_EQ(verified({served_in("whole", {2}, {0.1, 0.1, 2.8}), eager}).no_suggestion,
            "the gain over eager is not certain");
  EXPECT_EQ(verified({eager}, {}).no_suggestion, "capture nothing: no measured size fits --memory");
  const auto powers = [](double mean) { return served_in("whole", {4}, {mean, mean, mean}); };
  EXPECT_EQ(verified({graphs(1), eager, powers(1.01)}).no_suggestion, "");
  const Suggestion slower = verified({graphs(1), eager, powers(0.9)});
  EXPECT_EQ(slower.no_suggestion, "powers of two took less time");
  EXPECT_DOUBLE_EQ(slower.rivals[0].over.value(), 0.9);
}

TEST(Verification, IsOfTheLaunchesThatBothLaddersHave) {
  auto eager = served_in("eager", {}, {1.2, 5, 1.21, 1.25});
  eager.launches.erase(eager.launches.begin() + 1);  // launch 1 failed
  const auto graphs = served_in("whole", {2}, {1.0, 7, 1.01, 1.02});
  const Suggestion made = verified({graphs, eager});
  EXPECT_EQ(made.no_suggestion, "");
  EXPECT_DOUBLE_EQ(made.verified_step_seconds.value(), 1.01);
  EXPECT_DOUBLE_EQ(made.over_eager.value(), 1.22 / 1.01);
  eager.launches.pop_back();
  EXPECT_EQ(verified({graphs, eager}).no_suggestion, "fewer than 3 launches");
}

TEST(Verification, ServesTheSuggestionAndEagerUnlessTheyWere) {
  model::Plan plan;
  plan.tasks = {test::sample_task("whole", {}), test::sample_task("eager", {})};
  LadderRequest request;
  request.trace.rows = {1, 2};
  std::vector<Suggestion> made(1);
  made[0].cell = model::cell_of(plan.tasks[0], 2);
  made[0].sizes = {2};
  made[0].trace.rows = {1, 2, 2};
  made[0].rivals = {{.name = "powers", .sizes = {2}}, {.name = "vllm", .sizes = {1, 2}}};
  const auto planned = plan_verification(plan, request, made, {});
  std::vector<std::string> roles;
  for (const PlannedLadder& each : planned) roles.push_back(each.ladder.role);
  EXPECT_THAT(roles, ElementsAre("suggested", "eager", "vllm"));
  EXPECT_EQ(planned[0].task.rows, made[0].trace.rows);
  EXPECT_EQ(plan_verification(plan, request, made, {planned[1].ladder}).size(), 2u);
  made[0].sizes = {};
  made[0].rivals = {};
  EXPECT_EQ(plan_verification(plan, request, made, {}).size(), 1u);
}

TEST(Flags, AreEachEnginesOwn) {
  using enum LadderPad;
  EXPECT_EQ(default_sizes("vllm").value().size(), 51u);
  EXPECT_EQ(default_sizes("sglang").value().size(), 36u);
  EXPECT_EQ(default_sizes("trtllm").value().size(), 19u);
  EXPECT_EQ(flag_for("vllm", {1, 8}, up).flag,
            "--compilation-config '{\"cudagraph_capture_sizes\": [1,8], "
            "\"max_cudagraph_capture_size\": 8}'");
  EXPECT_EQ(flag_for("sglang", {1, 8}, up).flag, "--cuda-graph-bs-decode 1 8");
  EXPECT_EQ(flag_for("trtllm", {1, 8}, up).flag,
            "cuda_graph_config: {enable_padding: true, batch_sizes: [1,8]}");
  EXPECT_EQ(flag_for("trtllm", {1, 8}, none).flag, "cuda_graph_config: {batch_sizes: [1,8]}");
}

// vLLM's sizes are tokens; those of the others are requests.
TEST(Flags, CountWhatTheirEngineCounts) {
  using enum LadderPad;
  EXPECT_EQ(default_sizes("vllm", {4}).value().at(3), 8);
  EXPECT_EQ(default_sizes("sglang", {4}).value().at(3), 32);
  EXPECT_FALSE(default_sizes("trtllm", {1, 4}));
  EXPECT_THAT(flag_for("vllm", {4, 32}, up, {4}).flag, HasSubstr("[4,32]"));
  EXPECT_EQ(flag_for("sglang", {4, 32}, up, {4}).flag, "--cuda-graph-bs-decode 1 8");
  EXPECT_THAT(flag_for("trtllm", {4, 32}, up, {4}).flag, HasSubstr("[1,8]"));
  EXPECT_EQ(flag_for("sglang", {4, 30}, up, {4}).none,
            "it counts requests of 4 tokens, and 30 is no multiple: give --multiple-of 4");
  EXPECT_EQ(flag_for("sglang", {4, 32}, up, {1, 4}).none, "it counts requests: give one --query-lengths");
  EXPECT_EQ(flag_for("sglang", {4, 32}, up, {1, 4}).flag, "");
}

std::map<std::string, std::set<std::string>> options_of_engines() {
  std::map<std::string, std::set<std::string>> options;
  std::ifstream file(GRAPHBENCH_ENGINE_OPTIONS);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string engine;
    words >> engine;
    for (std::string word; words >> word;) options[engine].insert(word);
  }
  return options;
}

TEST(Flags, AreAmongTheOptionsThatEachEngineHas) {
  const std::map<std::string, std::set<std::string>> options = options_of_engines();
  const std::regex word("-*[A-Za-z][A-Za-z_-]*");
  for (const std::string& engine : engines()) {
    ASSERT_TRUE(options.contains(engine)) << engine;
    for (const LadderPad pad : {LadderPad::up, LadderPad::none}) {
      const std::string flag = flag_for(engine, {1, 8}, pad).flag;
      std::sregex_iterator at(flag.begin(), flag.end(), word);
      ASSERT_NE(at, std::sregex_iterator()) << flag;
      for (; at != std::sregex_iterator(); ++at)
        EXPECT_TRUE(options.at(engine).contains(at->str())) << at->str() << " in " << engine << ": " << flag;
    }
  }
}

}  // namespace
}  // namespace graphbench::ladder
