// Tests which plans the tuner times and which choices it keeps on disk, with times that the tests set.
#include "graphs/cuda/tuning/tuner.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "graphbench_version.hpp"
#include "graphs/base/error.hpp"
#include "graphs/device/cache/folder.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench::cuda {
namespace {

namespace fs = std::filesystem;

class TunerTest : public ::testing::Test {
 protected:
  TuningSettings settings() const {
    TuningSettings settings;
    settings.cache_folder = folder_ / "plans";
    return settings;
  }
  TuningSettings untimed() const {
    TuningSettings off = settings();
    off.timed = false;
    return off;
  }
  TuningSettings preferring(const std::string& words) const {
    TuningSettings preferring = settings();
    preferring.prefer = words;
    return preferring;
  }
  Tuner tuner(std::string device = "gpu 1") const { return {settings(), {"", std::move(device), ""}}; }

  // Chooses among plans of 3, 1 and 2 us and counts the timings. The first `cold_` results are 6 % too long.
  std::size_t choose(Tuner& from, const std::string& key = "key") {
    timed_ = 0;
    return from.choose(key, names_, [this](std::size_t i) -> std::optional<CandidateCost> {
      ++timed_;
      if (!seconds_[i]) return std::nullopt;
      return CandidateCost{*seconds_[i] * (timed_ <= cold_ ? 1.06 : 1.0), nodes_[i]};
    });
  }

  fs::path only_file() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder_ / "plans")) files.push_back(entry.path());
    EXPECT_EQ(files.size(), 1u);
    return files.empty() ? fs::path() : files.front();
  }

  const Platform here_{"", "gpu 1", ""};
  const test::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
  std::vector<std::string> names_ = {"slow", "fast", "middling"};
  std::vector<std::optional<double>> seconds_ = {3e-6, 1e-6, 2e-6};
  std::vector<std::size_t> nodes_ = {1, 1, 1};
  int timed_ = 0;
  int cold_ = 0;
};

TEST_F(TunerTest, TakesTheFastestAndRemembersItInTheProcessAndOnDisk) {
  Tuner first = tuner();
  EXPECT_EQ(choose(first), 1u);
  EXPECT_EQ(timed_, 3);
  EXPECT_EQ(choose(first), 1u);
  EXPECT_EQ(timed_, 0);
  Tuner second = tuner();
  EXPECT_EQ(choose(second), 1u);
  EXPECT_EQ(timed_, 0);
  EXPECT_EQ(choose(second, "another key"), 1u);
  EXPECT_EQ(timed_, 3);
}

TEST_F(TunerTest, SizesWithoutChoicesOfTheirOwnShareTheFirstOnes) {
  Tuner first = tuner();
  first.choose_generally(true);
  EXPECT_FALSE(first.known("matmul rows 256 n 64"));
  EXPECT_EQ(choose(first, "matmul rows 256 n 64"), 1u);
  EXPECT_EQ(timed_, 3);
  seconds_ = {1e-6, 2e-6, 3e-6};
  EXPECT_EQ(first.known("matmul rows 8 n 64"), "fast");
  EXPECT_EQ(choose(first, "matmul rows 8 n 64"), 1u) << "it would have been slow's turn";
  EXPECT_EQ(timed_, 0);
  EXPECT_EQ(choose(first, "matmul rows 8 n 32"), 0u) << "of another shape";
  first.choose_generally(false);
  EXPECT_EQ(choose(first, "matmul rows 16 n 64"), 0u) << "its own";
  EXPECT_EQ(timed_, 3);
  first.choose_generally(true);
  names_ = {"slow", "middling"};
  EXPECT_EQ(choose(first, "matmul rows 4 n 64"), 0u) << "the library has no fast here";
}

TEST_F(TunerTest, TimesThoseNearTheBestAgainAndKeepsTheLeast) {
  seconds_ = {1e-6, 1.04e-6, 2e-6};
  cold_ = 1;
  Tuner tuner_now = tuner();
  EXPECT_EQ(choose(tuner_now), 0u);
  EXPECT_EQ(timed_, 3 + 2 + 2) << "the third was too far away, later the second too";
}

TEST_F(TunerTest, ALaterTimingThatFailsOrIsLongerTakesNothingAway) {
  seconds_ = {1.08e-6, 1e-6, 2e-6};
  Tuner tuner_now = tuner();
  int timed = 0;
  const std::size_t index =
      tuner_now.choose("key", names_, [&](std::size_t i) -> std::optional<CandidateCost> {
        if (++timed == 4) return std::nullopt;
        return CandidateCost{*seconds_[i] * (timed > 3 ? 1.5 : 1.0), 1};
      });
  EXPECT_EQ(index, 1u);
  EXPECT_EQ(timed, 5);
}

TEST_F(TunerTest, TakesWhatIsFasterThenFewerNodesThenTheHeuristicsFirst) {
  struct Case {
    std::vector<std::optional<double>> seconds;
    std::vector<std::size_t> nodes;
    std::size_t best;
    const char* why;
  };
  const Case cases[] = {{{1.005e-6, 1e-6, 2e-6}, {1, 1, 1}, 0, "times cannot tell"},
                        {{1e-6, 1.005e-6, 2e-6}, {2, 1, 1}, 1, "fewer nodes where times cannot tell"},
                        {{3e-6, 1e-6, 2e-6}, {1, 2, 1}, 1, "more nodes that are faster"},
                        {{{}, {}, 2e-6}, {1, 1, 1}, 2, "what does not run is passed over"}};
  for (const Case& each : cases) {
    seconds_ = each.seconds;
    nodes_ = each.nodes;
    Tuner tuner_now = tuner();
    EXPECT_EQ(choose(tuner_now, each.why), each.best) << each.why;
  }
}

TEST_F(TunerTest, KeepsNothingWhereNothingRan) {
  seconds_ = {std::nullopt, std::nullopt, std::nullopt};
  Tuner tuner_now = tuner();
  EXPECT_EQ(choose(tuner_now), 0u);
  EXPECT_TRUE(cache::files_in(folder_ / "plans").empty());
}

TEST_F(TunerTest, SwitchedOffTakesTheFirstAndTouchesNothing) {
  Tuner tuner_now(untimed(), here_);
  EXPECT_EQ(choose(tuner_now), 0u);
  EXPECT_EQ(timed_, 0);
  EXPECT_FALSE(fs::exists(folder_ / "plans"));
}

TEST_F(TunerTest, AfterItStoppedTimingTheCacheDecidesElseTheHeuristic) {
  Tuner before = tuner();
  choose(before);
  Tuner stopped = tuner();
  stopped.stop_timing();
  EXPECT_EQ(choose(stopped), 1u) << "known from the disk";
  EXPECT_EQ(choose(stopped, "another key"), 0u);
  EXPECT_EQ(timed_, 0);
  only_file();  // only the first tuner's choice is kept, not the heuristic's
}

TEST_F(TunerTest, APreferredCandidateIsChosenWhereItRunsAndNothingIsKept) {
  Tuner tuner_now(preferring("mid"), here_);
  EXPECT_EQ(choose(tuner_now), 2u);
  seconds_[2].reset();
  EXPECT_EQ(choose(tuner_now, "another key"), 1u);
  only_file();  // the file of the second choice; the preferred one is not kept
}

TEST_F(TunerTest, KnowsWhatWasChosenHereOrEarlier) {
  Tuner first = tuner();
  EXPECT_FALSE(first.known("key"));
  choose(first);
  EXPECT_EQ(first.known("key"), "fast");
  EXPECT_EQ(tuner().known("key"), "fast");
  EXPECT_FALSE(tuner().known("another key"));
  EXPECT_FALSE(tuner("gpu 2").known("key"));
  EXPECT_FALSE(Tuner(untimed(), here_).known("key"));
  EXPECT_FALSE(Tuner(preferring("mid"), here_).known("key"));
}

TEST_F(TunerTest, TellsWhatWasChosenAndHow) {
  Tuner first = tuner();
  EXPECT_TRUE(first.choices().empty());
  choose(first, "second");
  choose(first, "first");
  choose(first, "second");
  first.took("third", "the only one");
  const auto told = [](const Tuner& of) {
    std::string text;
    for (const facts::LibraryChoice& each : of.choices())
      text +=
          each.key + ": " + each.algorithm + (each.timed ? ", timed" : "") + (each.hit ? ", hit; " : "; ");
    return text;
  };
  EXPECT_EQ(told(first), "first: fast, timed; second: fast, timed; third: the only one; ");
  Tuner later = tuner();
  choose(later, "first");
  choose(later, "second");
  EXPECT_EQ(told(later), "first: fast, timed, hit; second: fast, timed, hit; ");
  Tuner heuristic(untimed(), here_);
  choose(heuristic, "first");
  choose(heuristic, "second");
  EXPECT_EQ(told(heuristic), "first: slow; second: slow; ");
}

TEST_F(TunerTest, OffersPlansThatTheLibraryWroteDown) {
  Tuner first = tuner();
  choose(first, "conv 1");
  choose(first, "conv 2");
  const std::vector<cache::Entry> kept = first.kept({{"conv 1", "{}"}, {"none", "{}"}, {"conv 2", ""}});
  EXPECT_EQ(tuner().known("conv 1"), "fast") << "the folder has no plans";
  ASSERT_EQ(kept.size(), 2U);
  Tuner later = tuner();
  EXPECT_EQ(later.offer(kept), 2U);
  EXPECT_EQ(later.serialised("conv 2"), nullptr);
  const cache::Choice* const plan = later.serialised("conv 1");
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(plan->algorithm, "fast");
  EXPECT_EQ(plan->serialised, "{}");
  EXPECT_TRUE(later.choices().empty());
  later.tried_serialised("conv 1", true);
  choose(later, "conv 2");
  ASSERT_EQ(later.choices().size(), 2U);
  EXPECT_EQ(later.choices()[0].plan, "serialised");
  EXPECT_TRUE(later.choices()[0].timed && later.choices()[0].hit);
  EXPECT_EQ(later.choices()[1].plan, "");
  later.tried_serialised("conv 1", false);
  EXPECT_EQ(choose(later, "conv 1"), 1U) << "by its name";
  EXPECT_EQ(later.choices()[0].plan, "engine");
  EXPECT_EQ(tuner("gpu 2").offer(kept), 0U);
  Tuner heuristic(untimed(), here_);
  heuristic.offer(kept);
  EXPECT_EQ(heuristic.serialised("conv 1"), nullptr);
}

TEST(Platform, IsOfOurVersionOurKernelsTheDeviceAndItsLibraries) {
  facts::DeviceFacts info{};
  info.name = "GPU";
  info.driver = "580";
  info.libraries["cudnn"] = "9";
  const Platform platform = platform_of(info);
  EXPECT_TRUE(platform.build.starts_with("graphbench " GRAPHBENCH_VERSION ", kernels ")) << platform.build;
  EXPECT_EQ(platform.build, kernel_build());
  EXPECT_EQ(platform.device, "GPU");
  EXPECT_EQ(platform.libraries, "driver 580, CUDA , cudnn 9");
}

TEST_F(TunerTest, APlanThatTheLibraryNoLongerOffersIsTimedAgain) {
  Tuner first = tuner();
  choose(first);
  names_ = {"slow", "new", "middling"};
  Tuner second = tuner();
  testing::internal::CaptureStderr();
  EXPECT_EQ(choose(second), 1u);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("no longer offers"), std::string::npos);
  EXPECT_EQ(timed_, 3);
}

TEST_F(TunerTest, TellsWhatItHadOfTheCache) {
  Tuner first = tuner();
  choose(first, "linear 8x1024");
  EXPECT_EQ(cache::content_of(only_file()).parts.at(0).second, "linear");
  EXPECT_EQ(cache::content_of(only_file()).parts.at(1).second, "8x1024");
  EXPECT_EQ(first.cache_use()->misses, 1);
  Tuner second = tuner();
  second.known("linear 8x1024");
  choose(second, "linear 8x1024");
  EXPECT_EQ(second.cache_use()->hits, 1);
  EXPECT_EQ(second.cache_use()->misses, 0);
  EXPECT_EQ(first.cache_use()->bytes, second.cache_use()->bytes);
  TuningSettings off = settings();
  off.cache_folder.clear();
  EXPECT_FALSE(Tuner(off, here_).cache_use());
}

// A tuner without a cache uses entries that another tuner kept, but only for the same platform.
TEST_F(TunerTest, TakesWhatAnotherKeptAndIsOfferedHere) {
  Tuner first = tuner();
  choose(first, "linear 8x1024");
  ASSERT_EQ(first.kept().size(), 1U);
  TuningSettings off = settings();
  off.cache_folder.clear();
  Tuner second(off, here_);
  EXPECT_EQ(second.offer(first.kept()), 1U);
  EXPECT_EQ(choose(second, "linear 8x1024"), 1u);
  EXPECT_EQ(timed_, 0);
  EXPECT_TRUE(second.choices().at(0).hit);
  Tuner elsewhere(off, Platform{"", "gpu 2", ""});
  EXPECT_EQ(elsewhere.offer(first.kept()), 0U);
  choose(elsewhere, "linear 8x1024");
  EXPECT_EQ(timed_, 3);
}

TEST(TuningSettingsTest, RefusesWordsItDoesNotKnow) {
  setenv("GRAPHBENCH_AUTOTUNE", "maybe", 1);
  EXPECT_THROW(TuningSettings::from_environment(), Error);
  setenv("GRAPHBENCH_AUTOTUNE", "off", 1);
  EXPECT_FALSE(TuningSettings::from_environment().timed);
  unsetenv("GRAPHBENCH_AUTOTUNE");
  setenv("GRAPHBENCH_PLAN_CACHE", "off", 1);
  EXPECT_TRUE(TuningSettings::from_environment().cache_folder.empty());
  unsetenv("GRAPHBENCH_PLAN_CACHE");
  EXPECT_TRUE(TuningSettings::from_environment().timed);
}

}  // namespace
}  // namespace graphbench::cuda
