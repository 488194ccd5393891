// Configuration files: every type a key takes, and every mistake with its line.
#include "harness/config/toml_file.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "harness/model/input_error.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string refusal(const std::string& text) {
  return test::refusal([&] { check_options(parse_toml(text, "sweep.toml")); });
}

TEST(TomlFile, TakesEveryKindOfOption) {
  const SweepOptions options =
      check_options(parse_toml("workload = [\"mlp\", \"conv\"]\n"
                               "mode = \"eager,whole\"\n"
                               "batch = [1, \"8:32:x2\"]\n"
                               "warmup = 3\n"
                               "launches = 2\n"
                               "time-per-cell = 0.1\n"
                               "worker-timeout = 5\n"
                               "quiet = true\n"
                               "split-ops = [\"sdpa\"]\n",
                               "sweep.toml"));
  EXPECT_THAT(options.axes.workload, ElementsAre("mlp", "conv"));
  EXPECT_THAT(options.axes.mode, ElementsAre("eager", "whole"));
  EXPECT_THAT(options.axes.batch, ElementsAre(1, 8, 16, 32));
  EXPECT_THAT(options.axes.warmup, ElementsAre(3));
  EXPECT_EQ(options.launches, 2);
  EXPECT_DOUBLE_EQ(options.sampling.seconds_max, 0.1);
  EXPECT_DOUBLE_EQ(options.worker_timeout_seconds, 5);
  EXPECT_TRUE(options.quiet);
  EXPECT_THAT(options.split_ops, ElementsAre("sdpa"));
}

TEST(TomlFile, FalseFlagsAreNotSet) {
  EXPECT_FALSE(check_options(parse_toml("quiet = false\n", "f")).quiet);
}

TEST(TomlFile, SetHasSeveralSpellings) {
  for (const char* text :
       {"[set]\n\"mlp.hidden\" = 2048\n", "[set]\nmlp.hidden = 2048\n", "[set.mlp]\nhidden = 2048\n",
        "set = [\"mlp.hidden=2048\"]\n", "set = \"mlp.hidden=2048\"\n"}) {
    const SweepOptions options = check_options(parse_toml(text, "sweep.toml"));
    ASSERT_EQ(options.set.size(), 1u) << text;
    EXPECT_EQ(options.set[0].workload, "mlp");
    EXPECT_EQ(options.set[0].key, "hidden");
    EXPECT_EQ(options.set[0].value, 2048);
    EXPECT_FALSE(options.set[0].from_flag);
  }
}

TEST(TomlFile, MalformedTextIsNamedByFileAndLine) {
  EXPECT_THAT(refusal("batch = 1\nwarmup = = 2\n"), StartsWith("sweep.toml:2: "));
  EXPECT_THAT(refusal("batch = [1,\n"), StartsWith("sweep.toml:"));
  EXPECT_THAT(refusal("seed = 1\nseed = 2\n"), StartsWith("sweep.toml:2: "));
  EXPECT_THAT(refusal("batch = \"\xff\"\n"), StartsWith("sweep.toml:1: "));
}

TEST(TomlFile, MessagesAreOneLine) {
  EXPECT_EQ(refusal("a = \"\n\"\n").find('\n'), std::string::npos);
}

TEST(TomlFile, UnknownKeysAreNamedWithTheNearestKnownOne) {
  EXPECT_THAT(refusal("\n\nbacth = 1\n"),
              StartsWith("sweep.toml:3: \"bacth\" is not a key of a sweep; did you mean \"batch\"?"));
  EXPECT_THAT(refusal("config = \"other.toml\"\n"), HasSubstr("\"config\" is not a key"));
  EXPECT_THAT(refusal("sweep = true\n"), HasSubstr("\"sweep\" is not a key"));
}

TEST(TomlFile, WrongTypesAreNamedWithWhatWouldDo) {
  EXPECT_THAT(refusal("batch = true\n"),
              StartsWith("sweep.toml:1: batch: a boolean will not do: give a whole number"));
  EXPECT_THAT(refusal("batch = 1.5\n"), HasSubstr("a number with a fraction will not do"));
  EXPECT_THAT(refusal("batch = [[1]]\n"), HasSubstr("an array will not do"));
  EXPECT_THAT(refusal("seed = \"1\"\n"), HasSubstr("a string will not do: give a whole number"));
  EXPECT_THAT(refusal("device = [\"host\"]\n"), HasSubstr("an array will not do: give a string"));
  EXPECT_THAT(refusal("device = 3\n"), HasSubstr("an integer will not do"));
  EXPECT_THAT(refusal("quiet = 1\n"), HasSubstr("give true or false"));
  EXPECT_THAT(refusal("json = 1979-05-27\n"), HasSubstr("a date or time will not do"));
  EXPECT_THAT(refusal("[workload]\nmlp = 1\n"), HasSubstr("a table will not do"));
  EXPECT_THAT(refusal("[set]\nmlp.hidden = \"big\"\n"), HasSubstr("set.mlp.hidden: a string will not do"));
  EXPECT_THAT(refusal("batch = []\n"), HasSubstr("the array is empty"));
}

TEST(TomlFile, BadValuesAreNamedByTheirLine) {
  EXPECT_THAT(refusal("seed = 1\nbatch = [1, 0]\n"), StartsWith("sweep.toml:2: batch: \"0\" is not a batch"));
  EXPECT_THAT(refusal("mode = [\n\"eager\",\n\"hole\"]\n"), HasSubstr("\"hole\" is not a mode"));
}

TEST(TomlFile, AFileThatCannotBeReadIsRefused) {
  EXPECT_THROW(read_toml_file("/no/such/file.toml"), InputError);
  EXPECT_THROW(read_toml_file("/"), InputError);
}

}  // namespace
}  // namespace graphbench::config
