// Tests the table of axes, and an axis that the test adds: it shows only when it differs from its default.
#include "harness/model/axes.hpp"

#include <gmock/gmock.h>

#include "harness/options/option_table.hpp"
#include "harness/sweep/plan/make_plan.hpp"
#include "tests/support/refusal.hpp"
#include "tests/unit/harness/sweep/plan/sample_catalog.hpp"

namespace graphbench::model {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using testing::Pair;

AxisTable with_planted(std::vector<std::string> modes = {}) {
  AxisTable table = axes();
  table.push_back({.name = "colour",
                   .values = AxisValues::choices,
                   .noun = "colour",
                   .placeholder = "COLOUR,...",
                   .help = "none",
                   .choices = {"red", "green", "blue"},
                   .fallback = "red",
                   .modes = std::move(modes)});
  return table;
}

Plan planned_with(const std::map<std::string, std::string>& more, const AxisTable& table = axes()) {
  options::RawOptions raw;
  for (const auto& [name, text] : more) raw[name] = {{text, "--" + name}};
  raw["workload"] = {{"mlp", "--workload"}};
  raw["warmup"] = {{"0", "--warmup"}};
  return sweep::make_plan(options::check_options(raw, table), sweep::sample_catalog(), {"graphbench"}, table);
}

Plan planned(const std::string& colours, const AxisTable& table) {
  std::map<std::string, std::string> more = {{"batch", "1,2"}, {"mode", "eager,whole"}};
  if (!colours.empty()) more["colour"] = colours;
  return planned_with(more, table);
}

std::vector<std::string> ids(const Plan& plan) {
  std::vector<std::string> result;
  for (const Cell& cell : plan.cells) result.push_back(id_of(cell));
  return result;
}

TEST(Axes, ApplyWithinValuesOfAnotherAxisButInSomeModesAlways) {
  Cell cell{"step", "own", "own", "own", 8, 3, "whole"};
  const Axis& dynamic = axis_named("torch-dynamic");
  EXPECT_FALSE(dynamic.applies_to(cell));
  cell.more_axes = {{"torch-compile", "default"}};
  EXPECT_TRUE(dynamic.applies_to(cell));
  cell = {"step", "own", "own", "own", 8, 3, "torch.reduce-overhead"};
  EXPECT_TRUE(dynamic.applies_to(cell));
  cell.mode = "piecewise";
  EXPECT_TRUE(axis_named("torch-pieces").applies_to(cell)) << "none is the default of torch-compile";
  cell.more_axes = {{"torch-compile", "max-autotune"}};
  EXPECT_FALSE(axis_named("torch-pieces").applies_to(cell));
}

TEST(Axes, TheFirstSevenMakeTheIdAndTheLabels) {
  Cell cell{"mlp", "base", "bf16", "forward", 8, 3, "whole"};
  EXPECT_EQ(id_of(cell), "mlp/base/bf16/forward/b8/w3/whole");
  EXPECT_THAT(axis_values(cell), ElementsAre(Pair("workload", "mlp"), Pair("preset", "base"),
                                             Pair("dtype", "bf16"), Pair("pass", "forward"),
                                             Pair("batch", "8"), Pair("warmup", "3"), Pair("mode", "whole")));
  EXPECT_EQ(variant_of(cell), "");
  cell.more_axes = {{"optimizer", "adamw"}, {"backward", "callables"}};
  EXPECT_EQ(variant_of(cell), "backward=callables/optimizer=adamw");
  EXPECT_EQ(id_of(cell), "mlp/base/bf16/forward/b8/w3/whole/" + variant_of(cell));
}

TEST(Axes, AnAxisWithinAnotherIsPlannedAtItsValuesAlone) {
  const Plan plan = planned_with({{"batch", "1"},
                                  {"mode", "eager,whole"},
                                  {"io", "static,update,copy_in"},
                                  {"io-source", "device,pinned"}});
  std::vector<std::string> ends;
  for (const std::string& id : ids(plan)) ends.push_back(id.substr(id.find("/w0/") + 4));
  EXPECT_THAT(ends, ElementsAre("eager", "whole", "whole/io=update", "whole/io=copy_in",
                                "whole/io=copy_in/io-source=pinned"));
  EXPECT_EQ(id_of(reference_of(plan.cells.back())), id_of(plan.cells.front()));
}

TEST(Axes, AnIdLosesOnePart) {
  EXPECT_EQ(id_without("warmup", "mlp/base/bf16/forward/b8/w3/whole"), "mlp/base/bf16/forward/b8/whole");
  EXPECT_EQ(id_without("batch", "mlp/base/bf16/forward/b8/w3/whole/prepare=first-use"),
            "mlp/base/bf16/forward/w3/whole/prepare=first-use");
  for (const char* other : {"", "a", "BM_gemm/256/4/b8/real_time/w3/x", "mlp/base/bf16/forward/b8/w/whole",
                            "mlp/base/bf16/forward/b8/w3"}) {
    EXPECT_EQ(id_without("warmup", other), "") << other;
  }
}

TEST(Axes, ALaterAxisAtItsDefaultIsNowhereSeen) {
  const Plan without = planned("", axes());
  for (const std::string given : {"", "red"}) {
    const Plan plan = planned(given, with_planted());
    EXPECT_EQ(plan.cells, without.cells);
    EXPECT_EQ(plan.facts.hash, without.facts.hash);
    EXPECT_TRUE(plan.facts.axes.more_axes.empty());
    EXPECT_TRUE(plan.tasks.front().more_axes.empty());
  }
}

TEST(Axes, AwayFromItsDefaultALaterAxisIsInIdsPlanHashAndLabels) {
  const Plan plan = planned("red,blue", with_planted());
  EXPECT_THAT(
      ids(plan),
      ElementsAre("mlp/tiny/fp32/forward/b1/w0/eager", "mlp/tiny/fp32/forward/b1/w0/eager/colour=blue",
                  "mlp/tiny/fp32/forward/b1/w0/whole", "mlp/tiny/fp32/forward/b1/w0/whole/colour=blue",
                  "mlp/tiny/fp32/forward/b2/w0/eager", "mlp/tiny/fp32/forward/b2/w0/eager/colour=blue",
                  "mlp/tiny/fp32/forward/b2/w0/whole", "mlp/tiny/fp32/forward/b2/w0/whole/colour=blue"));
  EXPECT_THAT(plan.facts.axes.more_axes, ElementsAre(Pair("colour", ElementsAre("red", "blue"))));
  EXPECT_NE(plan.facts.hash, planned("", with_planted()).facts.hash);
  EXPECT_NE(plan.facts.hash, planned("blue", with_planted()).facts.hash);
  EXPECT_THAT(axis_values(plan.cells.at(1)), Contains(Pair("colour", "blue")));
  EXPECT_THAT(axis_values(plan.cells.at(0)), Not(Contains(Pair("colour", "red"))));
  EXPECT_EQ(plan.tasks.size(), 12u);
  EXPECT_EQ(reference_of(plan.cells.at(3), with_planted()), plan.cells.at(1)) << "it applies to eager too";
}

TEST(Axes, WhereALaterAxisMeansNothingItsDefaultIsPlannedOnce) {
  const AxisTable table = with_planted({"whole"});
  const Plan plan = planned("green,blue", table);
  EXPECT_THAT(
      ids(plan),
      ElementsAre("mlp/tiny/fp32/forward/b1/w0/eager", "mlp/tiny/fp32/forward/b1/w0/whole/colour=green",
                  "mlp/tiny/fp32/forward/b1/w0/whole/colour=blue", "mlp/tiny/fp32/forward/b2/w0/eager",
                  "mlp/tiny/fp32/forward/b2/w0/whole/colour=green",
                  "mlp/tiny/fp32/forward/b2/w0/whole/colour=blue"));
  EXPECT_EQ(reference_of(plan.cells.at(2), table), plan.cells.at(0));
  EXPECT_EQ(reference_of(plan.cells.at(0), table), plan.cells.at(0));
}

TEST(Axes, GraphsAreRewrittenWhereThereAreGraphs) {
  const Plan plan = planned_with({{"batch", "1"}, {"graph-rewrite", "none,memset"}});
  EXPECT_THAT(ids(plan), ElementsAre("mlp/tiny/fp32/forward/b1/w0/eager", "mlp/tiny/fp32/forward/b1/w0/whole",
                                     "mlp/tiny/fp32/forward/b1/w0/whole/graph-rewrite=memset",
                                     "mlp/tiny/fp32/forward/b1/w0/piecewise",
                                     "mlp/tiny/fp32/forward/b1/w0/piecewise/graph-rewrite=memset"));
}

TEST(Axes, ALaterAxisIsCheckedAsTheOthersAre) {
  EXPECT_EQ(test::refusal([] { planned("rde", with_planted()); }),
            "--colour: \"rde\" is not a colour: give red, green, blue; did you mean \"red\"?");
}

TEST(Axes, AnAxisBringsItsOption) {
  const std::vector<options::OptionSpec> options = options::axis_options(with_planted());
  EXPECT_EQ(options.back().name, "colour");
  EXPECT_EQ(options.back().kind, options::OptionKind::words);
  for (const char* name : {"workload", "pass", "optimizer"})
    EXPECT_EQ(std::ranges::count(options, name, &options::OptionSpec::name), 1) << name;
}

TEST(Axes, ATaskAndABatchAreACell) {
  const Plan plan = planned("blue", with_planted());
  const Cell cell = cell_of(plan.tasks.front(), 2);
  EXPECT_THAT(plan.cells, Contains(cell));
  WorkerTask copy;
  set_cell(copy, cell);
  EXPECT_EQ(cell_of(copy, 2), cell);
}

}  // namespace
}  // namespace graphbench::model
