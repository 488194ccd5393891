// The plan's hash: stable, and different exactly where the measurement is.
#include "harness/sweep/plan/plan_hash.hpp"

#include <gtest/gtest.h>

#include "harness/sweep/plan/make_plan.hpp"
#include "tests/unit/harness/sweep/plan/sample_catalog.hpp"

namespace graphbench::plan {
namespace {

std::string hash_of(const std::map<std::string, std::string>& texts,
                    const Catalog& catalog = sample_catalog()) {
  config::RawOptions raw;
  for (const auto& [name, text] : texts) raw[name] = {{text, "--" + name}};
  return make_plan(config::check_options(raw), catalog, {"graphbench"}).facts.hash;
}

TEST(PlanHash, IsStableAcrossBuilds) {
  // A change of this value makes old results incomparable with new ones: it must be meant.
  EXPECT_EQ(hash_of({{"workload", "mlp"},
                     {"batch", "1,2"},
                     {"set", "mlp.hidden=8"},
                     {"time-per-cell", "0.25"},
                     {"samples-max", "100"}}),
            "a4ed0e598f6d5c22457c44378e20eb42d9126d8b53cebb6b9a28e0c6050ad567");
}

TEST(PlanHash, DependsOnEveryOptionThatChangesTheMeasurement) {
  const std::string base = hash_of({});
  for (const auto& [name, text] : std::map<std::string, std::string>{{"workload", "mlp"},
                                                                     {"mode", "whole"},
                                                                     {"batch", "1"},
                                                                     {"warmup", "0"},
                                                                     {"dtype", "bf16"},
                                                                     {"preset", "base"},
                                                                     {"set", "mlp.hidden=8"},
                                                                     {"split-ops", "linear"},
                                                                     {"time-per-cell", "0.2"},
                                                                     {"samples-max", "10"}}) {
    EXPECT_NE(hash_of({{name, text}}), base) << name;
  }
}

TEST(PlanHash, DoesNotDependOnLaunchesRandomDataOrWhereTheResultGoes) {
  const std::string base = hash_of({});
  for (const auto& [name, text] : std::map<std::string, std::string>{{"launches", "2"},
                                                                     {"seed", "2"},
                                                                     {"json", "other.json"},
                                                                     {"quiet", "true"},
                                                                     {"worker-timeout", "5"}})
    EXPECT_EQ(hash_of({{name, text}}), base) << name;
  EXPECT_EQ(hash_of({{"batch", "1:256:x2"}}), base) << "a default given by name is the default";
}

}  // namespace
}  // namespace graphbench::plan
