// Tests which labels of a result come from CI and the working folder, and where the history is.
#include "harness/judge/history/defaults.hpp"

#include <gtest/gtest.h>

#include <map>

#include "graphs/base/text.hpp"

namespace graphbench::judge {
namespace {

Environment made_of(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? std::string() : found->second;
  };
}

TEST(Labels, ComeFromGitHub) {
  const auto push = label_from_ci(made_of({{"GITHUB_SHA", "abc"}, {"GITHUB_REF_NAME", "main"}}));
  ASSERT_TRUE(push.has_value());
  EXPECT_EQ(push->commit, "abc");
  EXPECT_EQ(push->branch, "main");
  EXPECT_EQ(push->source, "GitHub Actions");
}

TEST(Labels, NameTheBranchThatAsksToBeMerged) {
  const auto pull = label_from_ci(
      made_of({{"GITHUB_SHA", "abc"}, {"GITHUB_REF_NAME", "7/merge"}, {"GITHUB_HEAD_REF", "topic"}}));
  EXPECT_EQ(pull->branch, "topic");
  const auto merge = label_from_ci(made_of({{"CI_COMMIT_SHA", "abc"},
                                            {"CI_COMMIT_REF_NAME", "refs/merge-requests/7/head"},
                                            {"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "topic"}}));
  EXPECT_EQ(merge->branch, "topic");
}

TEST(Labels, AreAbsentOutsideOfCi) {
  EXPECT_FALSE(label_from_ci(made_of({{"GITHUB_REF_NAME", "main"}})).has_value());
}

TEST(Location, IsNamedByTheEnvironmentFirstElseByTheXdgRules) {
  const auto file = [](const std::map<std::string, std::string>& values) {
    return default_file(made_of(values));
  };
  EXPECT_EQ(file({{"GRAPHBENCH_HISTORY", "/a/b"}, {"HOME", "/h"}}), "/a/b");
  EXPECT_EQ(file({{"XDG_DATA_HOME", "/data"}, {"HOME", "/h"}}), "/data/graphbench/history.sqlite");
  EXPECT_EQ(file({{"HOME", "/h"}}), "/h/.local/share/graphbench/history.sqlite");
  EXPECT_EQ(file({{"XDG_DATA_HOME", "relative"}, {"HOME", "/h"}}),
            "/h/.local/share/graphbench/history.sqlite");
  EXPECT_THROW(file({}), InputError);
}

}  // namespace
}  // namespace graphbench::judge
