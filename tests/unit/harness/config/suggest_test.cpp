// Near misses.
#include "harness/config/suggest.hpp"

#include <gtest/gtest.h>

namespace graphbench::config {
namespace {

const std::vector<std::string> known = {"batch", "warmup", "workload", "mode"};

TEST(Suggest, FindsASwapADropAndAReplacement) {
  EXPECT_EQ(nearest("bacth", known), "batch");
  EXPECT_EQ(nearest("worklod", known), "workload");
  EXPECT_EQ(nearest("mude", known), "mode");
}

TEST(Suggest, IsSilentAboutWordsThatAreFarAway) {
  EXPECT_EQ(nearest("frobnicate", known), std::nullopt);
  EXPECT_EQ(did_you_mean("zzz", known), "");
}

TEST(Suggest, IsSilentAboutVeryLongWords) {
  EXPECT_EQ(nearest(std::string(100000, 'b'), known), std::nullopt);
}

TEST(Suggest, AsksInWords) {
  EXPECT_EQ(did_you_mean("bacth", known), "; did you mean \"batch\"?");
}

}  // namespace
}  // namespace graphbench::config
