// The environment's facts and what its fingerprint depends on.
#include "harness/measure/machine/environment.hpp"

#include <gmock/gmock.h>
#include <stdlib.h>

namespace graphbench::machine {
namespace {

TEST(Environment, HasEveryFactOfThisMachine) {
  const model::Environment environment = read_environment();
  EXPECT_FALSE(environment.hostname.empty());
  EXPECT_THAT(environment.os, testing::HasSubstr("Linux"));
  EXPECT_FALSE(environment.cpu.empty());
  EXPECT_GT(environment.cores, 0);
}

TEST(Environment, NamesTheVariablesThatChangeWhatIsMeasuredAndNoSecrets) {
  unsetenv("GRAPHBENCH_PLAN_CACHE");
  setenv("GRAPHBENCH_AUTOTUNE", "off", 1);
  setenv("GRAPHBENCH_TOKEN", "secret", 1);
  EXPECT_THAT(read_environment().variables,
              testing::ElementsAre(testing::Pair("GRAPHBENCH_AUTOTUNE", "off")));
  unsetenv("GRAPHBENCH_AUTOTUNE");
  unsetenv("GRAPHBENCH_TOKEN");
}

TEST(Environment, FingerprintDependsOnWhatChangesNumbersAndNotOnTheHost) {
  model::Environment environment;
  environment.device.driver = "580";
  const std::string base = fingerprint_of(environment);
  EXPECT_EQ(base.size(), 64u);
  environment.hostname = "elsewhere";
  environment.device.uuid = "GPU-1";
  EXPECT_EQ(fingerprint_of(environment), base);
  environment.device.driver = "581";
  EXPECT_NE(fingerprint_of(environment), base);
  environment.device.driver = "580";
  environment.device.libraries["cudnn"] = "9.1";
  EXPECT_NE(fingerprint_of(environment), base);
}

}  // namespace
}  // namespace graphbench::machine
