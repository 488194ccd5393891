// Plans of addresses: taken as they were made, and refused where values would share memory or lie outside.
#include "graphs/execution/address_plan.hpp"

#include "tests/unit/graphs/execution/execution_fixture.hpp"

namespace graphbench::execution {
namespace {

using ::testing::HasSubstr;

class AddressPlanTest : public ExecutionTest {
 protected:
  ir::AddressPlan plan_at(std::int64_t batch) {
    return make_executor(ExecutionMode::eager, context(), batch)->address_plan(device_);
  }
  ExecutionContext with_plans() {
    ExecutionContext planned = context();
    planned.plans = &plans_;
    return planned;
  }
  // By operand of each kernel that is captured: which of those before it has the same memory.
  std::vector<std::vector<std::size_t>> sharing(const ExecutionContext& context, std::int64_t batch) {
    device_.log.operands.clear();
    make_executor(ExecutionMode::whole, context, batch)->capture();
    std::map<void*, std::size_t> known;
    std::vector<std::vector<std::size_t>> sharing;
    for (const std::vector<void*>& operands : device_.log.operands) {
      sharing.emplace_back();
      for (void* const operand : operands)
        sharing.back().push_back(known.emplace(operand, known.size()).first->second);
    }
    return sharing;
  }
  std::string failure_with(const std::function<void(ir::AddressPlan&)>& change) {
    const StepKernels kernels(device_, program_, 4);
    ir::AddressPlan plan = make_plan(kernels, device_);
    EXPECT_EQ(why_not(plan, kernels), "");
    change(plan);
    return why_not(plan, kernels);
  }

  std::map<std::int64_t, ir::AddressPlan> plans_;
};

TEST_F(AddressPlanTest, GivesValuesTheMemoryThatLayingOutGivesThem) {
  plans_ = {{8, plan_at(8)}, {4, plan_at(4)}};
  for (const std::int64_t batch : {8, 4}) {
    pool::MemoryPool own(device_);
    ExecutionContext laid_out = context();
    laid_out.graph_pool = &own;
    const auto planned = sharing(with_plans(), batch);
    EXPECT_EQ(planned, sharing(laid_out, batch)) << batch;
    EXPECT_GT(planned.size(), 0U);
  }
  EXPECT_EQ(graph_pool_.statistics().segments, plans_[8].segments.size())
      << "the smaller batch has the memory of the larger one";
  EXPECT_EQ(graph_pool_.statistics().in_use_bytes, 0U);
}

TEST_F(AddressPlanTest, IsUsedForItsBatchAloneAndNotWhereFreeRangesAreRecorded) {
  plans_ = {{8, plan_at(8)}};
  EXPECT_TRUE(make_executor(ExecutionMode::piecewise, with_plans(), 8)->counts().planned_ahead);
  EXPECT_EQ(make_executor(ExecutionMode::piecewise, with_plans(), 8)->counts().why_not_planned, "");
  EXPECT_FALSE(make_executor(ExecutionMode::piecewise, with_plans(), 4)->counts().planned_ahead);
  EXPECT_EQ(make_executor(ExecutionMode::piecewise, with_plans(), 4)->counts().why_not_planned,
            "no addresses were planned for this batch");
  EXPECT_FALSE(make_executor(ExecutionMode::piecewise, context(), 8)->counts().planned_ahead);
  ExecutionContext recording = with_plans();
  recording.record_free_ranges = true;
  EXPECT_FALSE(make_executor(ExecutionMode::piecewise, recording, 8)->counts().planned_ahead);
  plans_[4] = plans_[8];
  plans_[4].places[1] = plans_[4].places[0];
  const GraphCounts counts = make_executor(ExecutionMode::piecewise, with_plans(), 4)->counts();
  EXPECT_FALSE(counts.planned_ahead);
  EXPECT_THAT(counts.why_not_planned, HasSubstr("has two places"));
}

TEST_F(AddressPlanTest, OfOtherKernelsIsRefused) {
  plans_ = {{8, plan_at(8)}};
  EXPECT_TRUE(make_executor(ExecutionMode::whole, with_plans(), 8)->counts().planned_ahead);
  device_.log.residuals_in_place = true;  // one value takes the memory of another
  EXPECT_FALSE(make_executor(ExecutionMode::whole, with_plans(), 8)->counts().planned_ahead);
}

TEST_F(AddressPlanTest, IsRefusedByWhatIsWrong) {
  using Plan = ir::AddressPlan;
  EXPECT_THAT(failure_with([](Plan& p) { p.places[0].offset += 4; }), HasSubstr("is not aligned"));
  EXPECT_THAT(failure_with([](Plan& p) { p.places[0].offset = -512; }), HasSubstr("is not aligned"));
  EXPECT_THAT(failure_with([](Plan& p) { p.places[0].offset = p.segments[0]; }),
              HasSubstr("not within its segment"));
  EXPECT_THAT(failure_with([](Plan& p) { p.places[0].offset = INT64_MAX / 512 * 512; }),
              HasSubstr("not within its segment"));
  EXPECT_THAT(failure_with([](Plan& p) { p.places[0].segment = 99; }),
              HasSubstr("in a segment that there is not"));
  EXPECT_THAT(failure_with([](Plan& p) { p.places[0].segment = -1; }),
              HasSubstr("in a segment that there is not"));
  EXPECT_THAT(failure_with([](Plan& p) { p.places[0].value = 9999; }),
              HasSubstr("value 9999 is not of this step"));
  EXPECT_THAT(failure_with([](Plan& p) { p.places[1] = p.places[0]; }), HasSubstr("has two places"));
  EXPECT_THAT(failure_with([](Plan& p) { p.places.pop_back(); }), HasSubstr("has no place"));
  EXPECT_THAT(failure_with([](Plan& p) {
                p.places.push_back({0, 0, 0});
              }),
              HasSubstr("values that are not allocated"));
  EXPECT_THAT(failure_with([](Plan& p) { p.segments[0] = INT64_MAX; }), HasSubstr("larger than all values"));
  EXPECT_THAT(failure_with([](Plan& p) { p.segments.assign(3, INT64_MAX / 2); }),
              HasSubstr("larger than all values"));
  EXPECT_THAT(failure_with([](Plan& p) { p.segments[0] = 0; }), HasSubstr("larger than all values"));
  // The first op's result is read by the second, whose own lies elsewhere.
  EXPECT_THAT(failure_with([](Plan& p) {
                p.places[1].segment = p.places[0].segment;
                p.places[1].offset = p.places[0].offset;
              }),
              HasSubstr(" overlap"));
}

}  // namespace
}  // namespace graphbench::execution
