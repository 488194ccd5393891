// Tests steps whose caller has its own memory, in every form of --io and with every set of addresses. A step
// must read the caller's inputs, and write the same bits as eager's step where the caller reads its outputs.
#include "tests/conformance/plugin_op.hpp"
#include "tests/conformance/program_fixture.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::conformance {
namespace {

using execution::CallerMemory;
using execution::CallerSettings;
using execution::IoForm;
using execution::IoSource;

struct NamedForm {
  const char* name;
  CallerSettings settings;
};

const std::vector<NamedForm>& forms() {
  static const std::vector<NamedForm> all = {
      {"copy_in", {.form = IoForm::copy_in}},
      {"copy_in_out", {.form = IoForm::copy_in_out}},
      {"copy_out", {.form = IoForm::copy_out}},
      {"copy_out_pageable", {.form = IoForm::copy_out, .source = IoSource::pageable}},
      {"copy_if_moved", {.form = IoForm::copy_if_moved, .same_percent = 50}},
      {"copy_in_out_pinned", {.form = IoForm::copy_in_out, .source = IoSource::pinned}},
      {"copy_in_out_pageable", {.form = IoForm::copy_in_out, .source = IoSource::pageable}},
      {"set_params", {.form = IoForm::set_params}},
      {"update", {.form = IoForm::update}},
      {"recapture", {.form = IoForm::recapture}},
      {"exec_per_set", {.form = IoForm::exec_per_set}},
      {"copy_in_fresh", {.form = IoForm::copy_in, .fresh_addresses = true}},
      {"set_params_fresh", {.form = IoForm::set_params, .fresh_addresses = true}},
      {"update_fresh", {.form = IoForm::update, .fresh_addresses = true}},
  };
  return all;
}

// Reads the value that a step left at `at`, in device memory or in the caller's host memory.
Bytes bytes_of(Rig& rig, const CallerMemory& caller, ir::ValueId id, const void* at, std::int64_t batch) {
  const std::size_t bytes = rig.program().describe(id, batch).bytes();
  if (!caller.moves(id) || !caller.on_host()) return rig.read(at, bytes);
  const auto* first = static_cast<const unsigned char*>(at);
  return {first, first + bytes};
}

execution::ExecutionContext context_of(Rig& rig, CallerMemory& caller) {
  execution::ExecutionContext context = rig.context();
  context.caller = &caller;
  return context;
}

class CallerConformance : public ProgramFixture {
 protected:
  std::unique_ptr<execution::Executor> prepare(Rig& rig, CallerMemory& caller, std::int64_t batch) {
    return Rig::prepare(mode(), context_of(rig, caller), batch);
  }
  // Runs one step on inputs from `seed`, which only the caller's memory contains. Returns its outputs.
  std::vector<Bytes> step(Rig& rig, CallerMemory& caller, execution::Executor& executor, std::int64_t batch,
                          std::uint64_t seed) {
    rig.reset(seed);
    caller.fill_inputs(stream(), seed, executor.next_place());
    caller.poison_outputs(stream(), executor.next_place());
    executor.submit();
    stream().synchronize();
    std::vector<Bytes> outputs;
    for (const ir::ValueId id : rig.program().values_of(ir::ValueKind::output))
      outputs.push_back(bytes_of(rig, caller, id, executor.output(id), batch));
    return outputs;
  }
};

TEST_P(CallerConformance, EveryFormComputesWhatEagerDoes) {
  Rig rig = make_rig(8);
  for (const NamedForm& form : forms()) {
    CallerMemory caller(device(), rig.program(), rig.buffers(), form.settings);
    caller.fill_all_inputs(stream());
    const auto large = prepare(rig, caller, 8);
    const auto small = prepare(rig, caller, 3);
    std::uint64_t seed = 500;
    for (int round = 0; round < 3; ++round) {
      for (const std::int64_t batch : {3, 8}) {
        const std::vector<Bytes> expected = rig.eager_step(batch, ++seed);
        const std::vector<std::uint64_t> expected_state = rig.state_digests();
        EXPECT_EQ(step(rig, caller, batch == 3 ? *small : *large, batch, seed), expected)
            << form.name << ", batch " << batch << ", round " << round;
        EXPECT_EQ(rig.state_digests(), expected_state) << form.name << ", batch " << batch;
      }
    }
    EXPECT_EQ(large->io()->updates_refused, 0) << form.name << ": " << large->io()->step.refused->message;
  }
}

TEST_P(CallerConformance, AnAddressThatMovedIsFoundBeforeTheReplay) {
  Rig rig = make_rig(4);
  for (const NamedForm& form : forms()) {
    CallerMemory caller(device(), rig.program(), rig.buffers(), form.settings);
    caller.fill_all_inputs(stream());
    execution::ExecutionContext context = context_of(rig, caller);
    context.check_addresses = true;
    const auto executor = Rig::prepare(mode(), context, 4);
    for (int i = 0; i < 3; ++i) EXPECT_NO_THROW(executor->submit()) << form.name;
    stream().synchronize();
  }
  for (const bool moves : {false, true}) {
    CallerMemory caller(device(), rig.program(), rig.buffers(),
                        {.form = IoForm::fixed, .fresh_addresses = moves});
    execution::ExecutionContext context = context_of(rig, caller);
    context.check_addresses = true;
    const auto executor = Rig::prepare(mode(), context, 4);
    if (!moves) {
      EXPECT_NO_THROW(executor->submit());
      EXPECT_FALSE(executor->io().has_value());
    } else {
      const Error error = test::error_of([&] { executor->submit(); });
      EXPECT_EQ(error.code(), ErrorCode::address_moved);
      EXPECT_THAT(error.what(), ::testing::HasSubstr(" has moved since the capture"));
    }
    stream().synchronize();
  }
}

TEST_P(CallerConformance, OnlyPiecesWithAValueOfTheCallersAreTouched) {
  Rig rig = make_rig(4);
  CallerMemory caller(device(), rig.program(), rig.buffers(), {.form = IoForm::update});
  caller.fill_all_inputs(stream());
  const auto executor = prepare(rig, caller, 4);
  for (int i = 0; i < 3; ++i) executor->submit();
  stream().synchronize();
  const execution::IoCounts counts = *executor->io();
  EXPECT_GT(counts.step.pieces_touched, 0);
  EXPECT_LE(counts.step.pieces_touched, executor->counts().graphs.pieces);
  EXPECT_EQ(counts.recordings, 3 * counts.step.pieces_touched);
  EXPECT_EQ(counts.updates, counts.recordings);
  if (rig.program().name() == "chain" && mode() == ExecutionMode::piecewise) {
    EXPECT_EQ(executor->counts().graphs.pieces, 3);
    EXPECT_EQ(counts.step.pieces_touched, 2) << "the first reads x, the last writes the output";
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, CallerConformance, graph_mode_parameters(small_programs()),
                         name_of_program_parameter);

// Writes 7 to the words of its second input, and 3 to the words of its output.
gb_op counting_op() {
  gb_op op = test::foreign_op("test_counts", infer_same, nullptr, 0, 2);
  op.launch_cuda = [](const gb_op_call*, void* const* operands, void* stream, void*) {
    const int status = fill_words(operands[1], 7, 4, stream);
    return status != 0 ? status : fill_words(operands[2], 3, 4, stream);
  };
  op.run_host = [](const gb_op_call*, void* const* operands, void*) {
    std::fill_n(static_cast<std::uint32_t*>(operands[1]), 4, 7u);
    std::fill_n(static_cast<std::uint32_t*>(operands[2]), 4, 3u);
    return 0;
  };
  return op;
}

class MutatedInputConformance : public BackendFixture {
 protected:
  // The op `counts` writes its input `tally`. The op `after` then reads `tally`.
  static ir::Program program() {
    static const gb_op op = counting_op();
    test::SmallBuilder b(catalog_with(op));
    const ir::ValueId x = b.input("x", {ir::of_batch(4)}), tally = b.input("tally", {ir::of_batch(4)});
    const ir::ValueId scaled = b.one("relu", "scaled", {tally});
    const ir::ValueId counted = b.one(op.kind, "counts", {x, tally});
    const ir::ValueId after = b.one("add", "after", {counted, tally});
    b.split_at({"relu"});
    return b.ending_in(b.one("add", "sum", {after, scaled}));
  }
};

TEST_P(MutatedInputConformance, TheCallersInputIsWrittenAsEagerWritesIt) {
  const ir::ValueId tally = 1;
  Rig rig = rig_of(program(), 1);
  const std::vector<Bytes> expected = rig.eager_step(1, 5);
  const Bytes expected_tally = rig.read(rig.buffers().address(tally), 16);
  for (const ExecutionMode mode : {ExecutionMode::whole, ExecutionMode::piecewise}) {
    const auto fixed = rig.prepare(mode, 1);
    EXPECT_EQ(rig.step(*fixed, 1, 5), expected);
    EXPECT_EQ(rig.read(rig.buffers().address(tally), 16), expected_tally);
    for (const NamedForm& form : forms()) {
      CallerSettings settings = form.settings;
      settings.copy_back = true;
      CallerMemory caller(device(), rig.program(), rig.buffers(), settings);
      const auto executor = Rig::prepare(mode, context_of(rig, caller), 1);
      for (int i = 0; i < 3; ++i) {
        const std::size_t place = executor->next_place();
        caller.fill_inputs(stream(), 5, place);
        executor->submit();
        stream().synchronize();
        const ir::ValueId output = rig.program().values_of(ir::ValueKind::output)[0];
        EXPECT_EQ(bytes_of(rig, caller, output, executor->output(output), 1), expected[0]) << form.name;
        EXPECT_EQ(bytes_of(rig, caller, tally, caller.address(tally, place), 1), expected_tally) << form.name;
      }
    }
  }
}

TEST_P(MutatedInputConformance, ACopyOfItIsRefusedWithOpAndValue) {
  Rig rig = rig_of(program(), 1);
  for (const IoForm form : {IoForm::copy_in, IoForm::copy_in_out, IoForm::copy_if_moved}) {
    CallerMemory caller(device(), rig.program(), rig.buffers(), {.form = form});
    const Error error =
        test::error_of([&] { Rig::prepare(ExecutionMode::whole, context_of(rig, caller), 1); });
    EXPECT_EQ(error.code(), ErrorCode::mutated_input);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("op counts (test_counts) writes to the input tally"));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, MutatedInputConformance, ::testing::ValuesIn(backends()), name_of_backend);

}  // namespace
}  // namespace graphbench::conformance
