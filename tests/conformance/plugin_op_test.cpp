// Tests a plugin's ops on every backend: preparing, releasing, running on the host, undeclared writes.
#include "tests/conformance/plugin_op.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <string>
#include <vector>

#include "graphs/backends/registry.hpp"
#include "harness/measure/worker/check.hpp"
#include "tests/conformance/devices.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::conformance {
namespace {

constexpr std::int64_t op_batch = 4;
constexpr std::int64_t columns = 16;

std::size_t words_of(const gb_op_call* call) {
  return static_cast<std::size_t>(call->operands[0].dims[0] * call->operands[0].dims[1]);
}

class PluginOpConformance : public BackendFixture {
 protected:
  // y = relu(op(relu(x), x, w, s)) with an input x, a weight w and a state s.
  ir::Program program(const gb_op& op) {
    test::SmallBuilder b(catalog_with(op));
    const ir::Shape shape = test::batched({columns});
    const ir::ValueId x = b.input("x", shape), w = b.weight("w", shape), s = b.state("s", shape);
    const ir::ValueId mine = b.one(op.kind, "mine", {b.one("relu", "before", {x}), x, w, s});
    return b.ending_in(b.one("relu", "after", {mine}));
  }
  Rig rig_with(const gb_op& op) { return rig_of(program(op), op_batch); }
  static gb_op op_with(void* user) {
    gb_op op = test::foreign_op("test_mine", infer_same);
    op.user = user;
    return op;
  }
};

// Computes y = 2 a + w and s += 1 on the CPU, where a is operand 0.
int run_on_host(const gb_op_call* call, void* const* operands, void*) {
  const auto* a = static_cast<const float*>(operands[0]);
  const auto* w = static_cast<const float*>(operands[2]);
  auto* s = static_cast<float*>(operands[3]);
  auto* y = static_cast<float*>(operands[4]);
  for (std::size_t i = 0; i < words_of(call); ++i) {
    y[i] = 2 * a[i] + w[i];
    s[i] += 1;
  }
  return call->place == GB_ON_HOST ? 0 : 1;
}

TEST_P(PluginOpConformance, AHostOpReachesTheHostInEagerAndBetweenPieces) {
  bool launched = false;
  gb_op op = op_with(&launched);
  op.flags = GB_OP_HOST;
  op.mutated_inputs = 8;
  op.run_host = run_on_host;
  op.launch_cuda = [](const gb_op_call*, void* const*, void*, void* seen) {
    *static_cast<bool*>(seen) = true;
    return 0;
  };
  Rig rig = rig_with(op);
  const std::vector<std::uint64_t> untouched = rig.state_digests();

  const std::vector<Bytes> eager = rig.eager_step(op_batch, 3);
  const std::vector<std::uint64_t> state = rig.state_digests();
  EXPECT_NE(state, untouched);
  const std::size_t bytes = rig.program().describe(0, op_batch).bytes();
  const std::vector<double> x = decode(rig.read(rig.buffers().address(0), bytes), ir::DType::fp32);
  const std::vector<double> w = decode(rig.read(rig.buffers().address(1), bytes), ir::DType::fp32);
  const std::vector<double> y = decode(eager.at(0), ir::DType::fp32);
  for (std::size_t i = 0; i < y.size(); ++i)
    EXPECT_NEAR(y[i], std::max(2 * std::max(x[i], 0.0) + w[i], 0.0), 1e-6) << i;

  const auto piecewise = rig.prepare(ExecutionMode::piecewise, op_batch);
  EXPECT_EQ(piecewise->counts().graphs.pieces, 2);
  EXPECT_EQ(rig.step(*piecewise, op_batch, 3), eager);
  EXPECT_EQ(rig.state_digests(), state);
  EXPECT_NE(rig.step(*piecewise, op_batch, 4), eager);
  EXPECT_EQ(error_code_of([&] { rig.make(ExecutionMode::whole, op_batch); }), ErrorCode::host_op);
  EXPECT_FALSE(launched) << "a host op's launch_cuda is not used";
}

TEST_P(PluginOpConformance, AHostOpsFailureNamesItAndTheNextStepWorks) {
  bool fails = true;
  gb_op op = op_with(&fails);
  op.flags = GB_OP_HOST;
  op.run_host = [](const gb_op_call*, void* const*, void* failing) {
    return *static_cast<bool*>(failing) ? 17 : 0;
  };
  Rig rig = rig_with(op);
  const Error error = test::error_of([&] { rig.eager_step(op_batch, 1); });
  EXPECT_EQ(error.code(), ErrorCode::plugin_failed);
  EXPECT_THAT(error.what(), ::testing::HasSubstr("mine (test_mine): the op's run_host returned 17"));
  fails = false;
  rig.eager_step(op_batch, 1);
}

struct Life {
  std::vector<std::string> seen;
  int prepared = 0;
};

int use_workspace(const gb_op_call* call, void* const* operands, void* stream, void* user) {
  auto* const life = static_cast<Life*>(user);
  life->seen.emplace_back(call->prepared == &life->prepared ? "run" : "run, not prepared");
  const std::size_t words = words_of(call);
  if (call->workspace == nullptr || call->workspace_bytes != words * 4) return 1;
  if (call->place == GB_ON_HOST) {
    std::memset(call->workspace, 0, words * 4);
    std::memcpy(operands[4], call->workspace, words * 4);
    return 0;
  }
  const int status = fill_words(call->workspace, 0, words, stream);
  return status != 0 ? status : fill_words(operands[4], 0, words, stream);
}

gb_op living_op(Life& life) {
  gb_op op = test::foreign_op("test_mine", infer_same);
  op.user = &life;
  op.launch_cuda = use_workspace;
  op.run_host = [](const gb_op_call* call, void* const* operands, void* user) {
    return use_workspace(call, operands, nullptr, user);
  };
  op.prepare = [](const gb_op_call*, void** prepared, char*, std::size_t, void* user) {
    static_cast<Life*>(user)->seen.emplace_back("prepare");
    *prepared = &static_cast<Life*>(user)->prepared;
    return 0;
  };
  op.workspace_bytes = [](const gb_op_call* call, void* user) {
    auto* const seen = static_cast<Life*>(user);
    seen->seen.emplace_back(call->prepared == &seen->prepared ? "workspace" : "workspace, not prepared");
    return static_cast<std::int64_t>(words_of(call) * 4);
  };
  op.release = [](const gb_op_call* call, void* user) {
    auto* const seen = static_cast<Life*>(user);
    seen->seen.emplace_back(call->prepared == &seen->prepared ? "release" : "release, not prepared");
  };
  return op;
}

TEST_P(PluginOpConformance, IsPreparedBeforeItRunsAndReleasedWhenItsKernelGoes) {
  using Seen = std::vector<std::string>;
  Life life;
  gb_op op = living_op(life);
  const bool on_host = GetParam() == "host";
  for (const std::uint32_t flags : {std::uint32_t{0}, std::uint32_t{GB_OP_HOST}}) {
    life.seen.clear();
    op.flags = flags;
    // A separate device, because the host device releases what it has prepared only when it is closed.
    std::unique_ptr<Device> own = open_device(GetParam());
    std::unique_ptr<Stream> own_stream = own->make_stream();
    {
      Rig rig(*own, *own_stream, program(op), op_batch);
      const auto executor = rig.make(ExecutionMode::eager, op_batch);
      EXPECT_EQ(life.seen, (Seen{"prepare", "workspace"}));
      rig.step(*executor, op_batch, 1);
      EXPECT_EQ(life.seen, (Seen{"prepare", "workspace", "run"}));
      std::unique_ptr<execution::Executor> whole;
      if (flags == 0) rig.step(*(whole = rig.prepare(ExecutionMode::whole, op_batch)), op_batch, 1);
      EXPECT_EQ(life.seen.back(), "run");
    }
    own_stream.reset();
    own.reset();
    EXPECT_EQ(std::ranges::count(life.seen, "prepare"), std::ranges::count(life.seen, "release"));
    EXPECT_EQ(std::ranges::count(life.seen, "prepare"), flags == 0 && !on_host ? 2 : 1);
    EXPECT_EQ(life.seen.back(), "release");
  }
}

TEST_P(PluginOpConformance, ThatCannotBePreparedSaysWhyAndIsNotReleased) {
  Life life;
  gb_op op = living_op(life);
  op.prepare = [](const gb_op_call*, void**, char* error, std::size_t, void*) {
    std::strcpy(error, "no such algorithm");
    return 4;
  };
  Rig rig = rig_with(op);
  const Error error = test::error_of([&] { rig.make(ExecutionMode::eager, op_batch); });
  EXPECT_EQ(error.code(), ErrorCode::plugin_failed);
  EXPECT_STREQ(error.what(), "prepare mine (test_mine): the op's prepare() returned 4: no such algorithm");
  EXPECT_TRUE(life.seen.empty());
}

TEST_P(PluginOpConformance, WithoutAFunctionForTheDeviceIsUnsupported) {
  Rig rig = rig_with(op_with(nullptr));
  const Error error = test::error_of([&] { rig.make(ExecutionMode::eager, op_batch); });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_THAT(error.what(), ::testing::HasSubstr("test_mine"));
}

TEST_P(PluginOpConformance, WhoseWorkspaceIsRefusedIsReleased) {
  Life life;
  gb_op op = living_op(life);
  op.workspace_bytes = [](const gb_op_call*, void*) { return std::int64_t{-1}; };
  Rig rig = rig_with(op);
  EXPECT_EQ(error_code_of([&] { rig.make(ExecutionMode::eager, op_batch); }), ErrorCode::plugin_failed);
  EXPECT_EQ(life.seen, (std::vector<std::string>{"prepare", "release"}));
}

TEST_P(PluginOpConformance, ThatRecordsNothingFailsItsCaptureByName) {
  int calls = 0;
  gb_op op = op_with(&calls);
  const auto nothing = [](const gb_op_call*, void* const*, void*, void* count) {
    ++*static_cast<int*>(count);
    return 0;
  };
  op.launch_cuda = nothing;
  op.run_host = [](const gb_op_call*, void* const*, void*) { return 0; };
  Rig rig = rig_with(op);
  if (GetParam() == "host") {  // a capture on the host always records a node, which calls run_host
    EXPECT_EQ(rig.prepare(ExecutionMode::whole, op_batch)->counts().graphs.contents.nodes, 3);
    return;
  }
  for (const ExecutionMode mode : {ExecutionMode::whole, ExecutionMode::piecewise}) {
    const auto executor = rig.make(mode, op_batch);
    executor->warm_up();  // an eager launch is not checked for what it enqueues
    const Error error = test::error_of([&] { executor->capture(); });
    EXPECT_EQ(error.code(), ErrorCode::recorded_nothing);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("op mine (test_mine)"));
    EXPECT_FALSE(stream().capturing());
  }
  EXPECT_GT(calls, 0);
}

TEST_P(PluginOpConformance, ThatWritesNothingMayRecordNothing) {
  gb_op op = test::foreign_op("test_mine", test::infer_nothing);
  op.launch_cuda = [](const gb_op_call*, void* const*, void*, void*) { return 0; };
  op.run_host = [](const gb_op_call*, void* const*, void*) { return 0; };
  test::SmallBuilder b(catalog_with(op));
  const ir::ValueId relu = b.one("relu", "relu", {b.input("x")});
  b.op(op.kind, "mine", {relu}, {});
  Rig rig = rig_of(b.ending_in(relu), op_batch);
  const std::vector<Bytes> expected = rig.eager_step(op_batch, 1);
  EXPECT_EQ(rig.step(*rig.prepare(ExecutionMode::whole, op_batch), op_batch, 1), expected);
}

// Fills the output, and writes the first word of the operand whose number `user` points to.
int write_beside(const gb_op_call* call, void* const* operands, void* stream, void* user) {
  const auto victim = static_cast<std::size_t>(*static_cast<const int*>(user));
  const std::size_t words = words_of(call);
  if (call->place == GB_ON_HOST) {
    std::memset(operands[4], 0, words * 4);
    static_cast<float*>(operands[victim])[0] = 77;
    return 0;
  }
  const int status = fill_words(operands[4], 0, words, stream);
  return status != 0 ? status : fill_words(operands[victim], 77, 1, stream);
}

TEST_P(PluginOpConformance, ThatWritesWhatItDoesNotDeclareFailsTheCheckByNameOfOpAndValue) {
  int victim = 0;
  gb_op op = op_with(&victim);
  op.launch_cuda = write_beside;
  op.run_host = [](const gb_op_call* call, void* const* operands, void* user) {
    return write_beside(call, operands, nullptr, user);
  };
  Rig rig = rig_with(op);
  measure::CheckMemory memory;
  std::string why;
  for (const ExecutionMode mode : {ExecutionMode::eager, ExecutionMode::whole}) {
    const auto executor =
        mode == ExecutionMode::eager ? rig.make(mode, op_batch) : rig.prepare(mode, op_batch);
    const execution::ExecutionContext context = rig.context();
    const measure::CheckedStep step{*executor, mode, context, op_batch, 5, 1};
    const std::string begin = "check: op mine (test_mine) wrote ";
    const char* const values[] = {"", "input x", "weight w", "state s"};
    for (victim = 1; victim < 4; ++victim) {
      const Error error = test::error_of([&] { measure::check_against_eager(step, memory, why); });
      EXPECT_EQ(error.code(), ErrorCode::undeclared_mutation);
      EXPECT_EQ(error.what(), begin + values[victim] + ", but does not declare that write");
    }
    victim = 4;  // the op's own output: this check passes, although the checks before it failed
    EXPECT_TRUE(measure::check_against_eager(step, memory, why).identical) << why;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, PluginOpConformance, ::testing::ValuesIn(backends()), name_of_backend);

}  // namespace
}  // namespace graphbench::conformance
