// A plugin's op on the host device: what it is handed, and every way in which it can fail.
#include "graphs/abi/foreign_op.hpp"

#include <gmock/gmock.h>

#include <set>
#include <stdexcept>
#include <string>

#include "graphs/host/host_device.hpp"
#include "graphs/ir/program.hpp"
#include "tests/support/foreign_op.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::host {
namespace {

// out = in * factor; notes the record it was called with.
int scale(const gb_op_call* call, void* const* operands, void* user) {
  *static_cast<const gb_op_call**>(user) = call;
  const auto* in = static_cast<const float*>(operands[0]);
  auto* out = static_cast<float*>(operands[1]);
  const gb_attr& factor = call->attrs[0];
  for (std::int64_t i = 0; i < call->operands[0].dims[0]; ++i)
    out[i] = in[i] * static_cast<float>(factor.real);
  return 0;
}

class ForeignOpTest : public ::testing::Test {
 protected:
  using Run = int (*)(const gb_op_call*, void* const*, void*);

  std::unique_ptr<Kernel> prepare(Run run) { return prepare(run, device_); }
  std::unique_ptr<Kernel> prepare(Run run, Device& device) {
    op_ = test::foreign_op("test_scale", test::infer_same, run);
    op_.user = &last_call_;
    catalog_ = {};
    catalog_.add(abi::foreign_definition(op_));
    test::SmallBuilder b(catalog_);
    const auto x = b.input("x", test::batched({}));
    const auto y = b.one(op_.kind, "scaled", {x}, {{"factor", 3.0}, {"label", std::string("text")}});
    return device.make_kernel(b.ending_in(y).call(0, 4));
  }
  std::string error_of_running(Run run) {
    HostDevice device;  // which knows no kernel of the op yet
    const auto kernel = prepare(run, device);
    const auto stream = device.make_stream();
    kernel->launch(*stream, operands_);
    const Error error = test::error_of([&] { stream->synchronize(); });
    EXPECT_EQ(error.code(), ErrorCode::plugin_failed);
    return error.what();
  }

  gb_op op_{};
  const gb_op_call* last_call_ = nullptr;
  ir::OpCatalog catalog_;
  HostDevice device_;
  float in_[4] = {1, 2, 3, 4};
  float out_[4] = {};
  void* operands_[2] = {in_, out_};
};

TEST_F(ForeignOpTest, RunsWithItsDescriptionAfterTheProgramIsGone) {
  const auto kernel = prepare(scale);
  const auto stream = device_.make_stream();
  kernel->launch(*stream, operands_);
  stream->synchronize();
  EXPECT_EQ(out_[3], 12.0f);
  ASSERT_NE(last_call_, nullptr);
  EXPECT_EQ(last_call_->struct_size, sizeof(gb_op_call));
  EXPECT_STREQ(last_call_->name, "scaled");
  EXPECT_EQ(last_call_->batch, 4);
  EXPECT_EQ(last_call_->input_count, 1);
  EXPECT_EQ(last_call_->output_count, 1);
  ASSERT_EQ(last_call_->attr_count, 2);
  EXPECT_STREQ(last_call_->attrs[1].name, "label");
  EXPECT_STREQ(last_call_->attrs[1].text, "text");
  const gb_op_call* first_record = last_call_;
  kernel->launch(*stream, operands_);
  stream->synchronize();
  EXPECT_EQ(last_call_, first_record) << "the record has one address";
}

// A ladder is set up several times in a process: a plugin that keeps something under a call's address must
// not find there what it prepared for another.
TEST_F(ForeignOpTest, ACallKeepsItsAddressToItselfWhenItsDeviceIsGone) {
  std::set<const gb_op_call*> seen;
  for (int i = 0; i < 3; ++i) {
    HostDevice device;
    const auto kernel = prepare(scale, device);
    const auto stream = device.make_stream();
    kernel->launch(*stream, operands_);
    stream->synchronize();
    seen.insert(last_call_);
  }
  EXPECT_EQ(seen.size(), 3u);
  for (const gb_op_call* call : seen) EXPECT_STREQ(call->attrs[1].text, "text");
}

TEST_F(ForeignOpTest, ANonZeroReturnAndWhateverIsThrownAreAPluginFailure) {
  EXPECT_THAT(error_of_running([](const gb_op_call*, void* const*, void*) { return 17; }),
              testing::AllOf(testing::HasSubstr("scaled"), testing::HasSubstr("17")));
  EXPECT_THAT(error_of_running([](const gb_op_call*, void* const*, void*) -> int {
                throw std::runtime_error("out of coffee");
              }),
              testing::HasSubstr("out of coffee"));
  error_of_running([](const gb_op_call*, void* const*, void*) -> int { throw 5; });
}

}  // namespace
}  // namespace graphbench::host
