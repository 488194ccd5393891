// The suggested ladder is the best of all subsets, whatever the times look like and however tight budgets
// are.
#include "harness/ladder/suggest.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <random>
#include <regex>
#include <set>
#include <sstream>

#include "harness/ladder/suggestions.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::ladder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// What a subset comes to, computed from the definition. Absent where it is beyond a budget.
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

// Whole numbers, so that sums are exact in any order.
SuggestProblem random_problem(std::mt19937_64& random) {
  const auto up_to = [&](std::uint64_t most) { return static_cast<double>(random() % most + 1); };
  SuggestProblem problem;
  std::int64_t size = 0;
  for (std::uint64_t i = 0; i < 2 + random() % 8; ++i) {
    size += 1 + static_cast<std::int64_t>(random() % 4);
    problem.candidates.push_back({size, up_to(20), up_to(9), up_to(9), up_to(30)});  // times rise and fall
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
    std::map<std::size_t, double> best;  // by the number of sizes
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

TEST(Problem, HasMeasuredSizesAndThoseOfTheTrafficBetweenThem) {
  Measurements measured;
  measured.step_seconds = {{2, 1.0}, {6, 3.0}};
  measured.startup_seconds = {{2, 0.1}, {6, 0.3}};
  measured.eager = {{2, 2.0}, {6, 4.0}, {9, 7.0}};
  const SuggestProblem problem = problem_of(measured, {4, 4, 1, 9}, "--suggest");
  ASSERT_EQ(problem.candidates.size(), 3u);
  EXPECT_EQ(problem.candidates[1].size, 4);
  EXPECT_DOUBLE_EQ(problem.candidates[1].step_seconds, 2.0);
  EXPECT_FALSE(problem.candidates[1].measured);
  EXPECT_TRUE(problem.candidates[2].measured);
  EXPECT_EQ(problem.steps.at(4), 2);
  EXPECT_DOUBLE_EQ(problem.eager.at(4), 3.0);
  EXPECT_DOUBLE_EQ(problem.eager.at(1), 2.0);
  EXPECT_THAT(test::refusal([&] { problem_of(measured, {10}, "--suggest"); }),
              testing::AllOf(HasSubstr("10 rows"), HasSubstr("9: measure larger")));
  Measurements steps_only, eager_only;
  steps_only.step_seconds = eager_only.eager = {{1, 1.0}};
  for (const Measurements& part : {Measurements(), steps_only, eager_only}) {
    EXPECT_THAT(test::refusal([&] { problem_of(part, {1}, "--suggest"); }),
                HasSubstr("there is nothing to suggest from"));
  }
}

TEST(Memory, OfALadderIsItsGraphsAndTheLargestPool) {
  Measurements measured;
  measured.exec_bytes = {{2, 10}, {4, 20}, {6, 40}};
  measured.pool_bytes = {{2, 300}, {4, 100}, {6, 200}};
  EXPECT_DOUBLE_EQ(memory_of(measured, {4, 6}, "--memory"), 60 + 200);
  EXPECT_DOUBLE_EQ(memory_of(measured, {2, 5}, "--memory"), 10 + 30 + 300);
  EXPECT_THROW(memory_of(measured, {1}, "--memory"), InputError);
  measured.exec_bytes.clear();  // no driver says
  EXPECT_DOUBLE_EQ(memory_of(measured, {4, 6}, "--memory"), 200);
}

model::Ladder ladder_of(const std::string& id, const std::string& mode, std::vector<model::LadderSize> sizes,
                        std::vector<model::LadderEager> eager) {
  model::Ladder ladder;
  ladder.id = id;
  ladder.role = id;
  ladder.cell.mode = mode;
  model::LadderLaunch& launch = ladder.launches.emplace_back();
  launch.sizes = std::move(sizes);
  launch.eager = std::move(eager);
  for (const model::LadderSize& each : launch.sizes) ladder.sizes.push_back(each.size);
  return ladder;
}

model::LadderSize size_of(std::int64_t size, double step, double eager) {
  model::LadderSize made;
  made.size = size;
  made.step_seconds = step;
  made.eager_seconds = eager;
  return made;
}

// Of what the ladder measured itself, its rivals' numbers change nothing.
TEST(Suggestion, UsesWhatRivalsMeasuredOfFurtherSizes) {
  const auto asked = ladder_of("asked", "whole", {size_of(1, 1, 9), size_of(4, 4, 9)}, {});
  const auto every = ladder_of("every", "whole", {size_of(1, 5, 9), size_of(2, 1.5, 9)}, {});
  const auto other = ladder_of("engine", "piecewise", {size_of(3, 0.1, 9)}, {});
  const auto eager = ladder_of("eager", "eager", {}, {{3, 1, 0.5}});
  const auto made = suggest({asked, every, other, eager}, {1, 2, 2, 3}, {}, "--suggest");
  ASSERT_EQ(made.size(), 1u);
  EXPECT_THAT(made[0].sizes, ElementsAre(1, 2));
  EXPECT_THAT(made[0].interpolated, IsEmpty());
  EXPECT_DOUBLE_EQ(made[0].step_seconds, (1 + 2 * 1.5 + 0.5) / 4);
}

TEST(Flags, AreEachEnginesOwn) {
  using enum model::LadderPad;
  EXPECT_EQ(flag_for("vllm", {1, 8}, up),
            "--compilation-config '{\"cudagraph_capture_sizes\": [1,8], "
            "\"max_cudagraph_capture_size\": 8}'");
  EXPECT_EQ(flag_for("sglang", {1, 8}, up), "--cuda-graph-bs-decode 1 8");
  EXPECT_EQ(flag_for("trtllm", {1, 8}, up), "cuda_graph_config: {enable_padding: true, batch_sizes: [1,8]}");
  EXPECT_EQ(flag_for("trtllm", {1, 8}, none), "cuda_graph_config: {batch_sizes: [1,8]}");
  EXPECT_EQ(flag_for("vllm", {}, up), "--compilation-config '{\"cudagraph_mode\": \"NONE\"}'");
  EXPECT_EQ(flag_for("sglang", {}, up), "--cuda-graph-backend-decode disabled");
  EXPECT_EQ(flag_for("trtllm", {}, up), "cuda_graph_config: null");
}

// Words that each engine takes, from engine_options.txt.
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
    for (const std::vector<std::int64_t>& sizes :
         {std::vector<std::int64_t>{1, 8}, std::vector<std::int64_t>{}}) {
      for (const model::LadderPad pad : {model::LadderPad::up, model::LadderPad::none}) {
        const std::string flag = flag_for(engine, sizes, pad);
        std::sregex_iterator at(flag.begin(), flag.end(), word);
        ASSERT_NE(at, std::sregex_iterator()) << flag;
        for (; at != std::sregex_iterator(); ++at)
          EXPECT_TRUE(options.at(engine).contains(at->str()))
              << at->str() << " in " << engine << ": " << flag;
      }
    }
  }
}

}  // namespace
}  // namespace graphbench::ladder
