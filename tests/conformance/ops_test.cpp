// Compares each built-in op on each device and in each dtype with its definition in fp64; and eager's
// results of whole workloads, to show the precision that is kept through all their layers.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "tests/conformance/devices.hpp"
#include "tests/conformance/fp64_walk.hpp"
#include "tests/conformance/op_registry.hpp"
#include "tests/conformance/program_fixture.hpp"

namespace graphbench::conformance {
namespace {

using Parameter = std::tuple<std::string, ir::DType, std::size_t>;

// For exact inputs, accumulated in fp32 and rounded once: bf16 has 8 significant bits, fp16 has 11.
double tolerance(ir::DType dtype, double expected) {
  const double relative = dtype == ir::DType::fp32 ? 2e-6 : dtype == ir::DType::fp16 ? 0.0006 : 0.0045;
  return 1e-5 + relative * (std::abs(expected) + (dtype == ir::DType::fp32 ? 1 : 0.02));
}

class OpConformance : public DeviceFixture, public ::testing::WithParamInterface<Parameter> {
 protected:
  void SetUp() override { open(std::get<0>(GetParam()), dtype()); }
  static ir::DType dtype() { return std::get<1>(GetParam()); }
  static const OpCase& op_case() { return op_cases().at(std::get<2>(GetParam())); }

  static void expect_close(const Tensor& actual, const Tensor& expected, const std::string& what) {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      const double allowed = tolerance(dtype(), expected[i]) + slack_of(op_case().kind, dtype());
      ASSERT_NEAR(actual[i], expected[i], allowed) << what << ", element " << i;
    }
  }
};

TEST_P(OpConformance, AgreesWithItsDefinition) {
  const ir::OpCatalog catalog;
  const ir::Program program = single_op_program(catalog, op_case(), dtype());
  const std::int64_t batch = op_case().batch;
  Rig rig(device(), stream(), program, batch);
  rig.reset(7);
  const ir::OpCall call = program.call(0, batch);
  const std::vector<ir::ValueId>& input_ids = program.ops()[0].inputs;
  const auto read_inputs = [&] {
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < call.input_count; ++i) {
      const Bytes bytes = rig.read(rig.buffers().address(input_ids[i]), call.input(i).bytes());
      tensors.push_back(decode(bytes, call.input(i).dtype));
    }
    return tensors;
  };
  std::vector<Tensor> inputs = read_inputs();
  const auto executor = rig.make(ExecutionMode::eager, batch);
  executor->submit();
  const std::vector<Bytes> outputs = rig.outputs(*executor, batch);

  const std::vector<Tensor> expected = reference(call, inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    expect_close(decode(outputs[i], call.output(i).dtype), expected.at(i), "output " + std::to_string(i));
  // The inputs that the op mutates must have changed as in the definition, and the others not at all.
  const std::vector<Tensor> inputs_after = read_inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    expect_close(inputs_after[i], inputs[i], "input " + std::to_string(i) + " afterwards");
  EXPECT_EQ(rig.step(*rig.prepare(ExecutionMode::whole, batch), batch, 7), outputs) << "out of a graph";
}

TEST(OpList, EveryBuiltInKindHasADefinitionAndACase) {
  const ir::OpCatalog catalog;
  for (const std::string& kind : catalog.kinds()) {
    if (catalog.find(kind)->traits.marker) continue;
    EXPECT_TRUE(has_reference(kind)) << kind;
    EXPECT_NE(std::ranges::find(op_cases(), kind, &OpCase::kind), op_cases().end()) << kind;
  }
}

std::string name_of_parameter(const ::testing::TestParamInfo<Parameter>& info) {
  const auto& [backend, dtype, index] = info.param;
  return backend + "_" + std::string(ir::name_of(dtype)) + "_" + op_cases().at(index).name;
}

INSTANTIATE_TEST_SUITE_P(Devices, OpConformance,
                         ::testing::Combine(::testing::ValuesIn(backends()),
                                            ::testing::Values(ir::DType::fp32, ir::DType::bf16,
                                                              ir::DType::fp16),
                                            ::testing::Range(std::size_t{0}, op_cases().size())),
                         name_of_parameter);

// The largest relative error of a workload's results after eight layers. In fp32 it excludes tf32 (10 bits).
double error_max(ir::DType dtype) {
  return dtype == ir::DType::fp32 ? 1e-5 : dtype == ir::DType::fp16 ? 2e-3 : 1e-2;
}

using WorkloadConformance = ProgramFixture;

TEST_P(WorkloadConformance, EagerAgreesWithTheWholeProgramInFp64) {
  Rig rig = make_rig(4);
  double worst = 0;
  for (const std::int64_t batch : {1, 2, 4}) {
    Fp64Walk expected(rig, batch, 40 + static_cast<std::uint64_t>(batch));
    expected.run();
    const auto executor = rig.run_eager(batch);
    for (const ir::ValueId id : rig.program().values_of(ir::ValueKind::output)) {
      const double error = expected.relative_error(rig, id, executor->output(id));
      worst = std::max(worst, error);
      EXPECT_LE(error, error_max(dtype()))
          << "output " << rig.program().value(id).name << ", batch " << batch;
    }
    for (const ir::ValueId id : ir::mutated_state(rig.program())) {
      const double error = expected.relative_error(rig, id, rig.buffers().address(id));
      worst = std::max(worst, error);
      EXPECT_LE(error, error_max(dtype())) << "state " << rig.program().value(id).name << ", batch " << batch;
    }
  }
  RecordProperty("relative_l2_error_max", std::to_string(worst));
  std::printf("relative L2 error at most %.3g (limit %.3g)\n", worst, error_max(dtype()));
}

std::vector<NamedProgram> programs_with_a_reference() {
  std::vector<NamedProgram> programs = base_programs();
  for (const NamedProgram& program : small_programs()) {
    if (program.name == "norms") programs.push_back(program);
  }
  return programs;
}

INSTANTIATE_TEST_SUITE_P(Devices, WorkloadConformance,
                         mode_parameters({ExecutionMode::eager}, programs_with_a_reference()),
                         name_of_program_parameter);

}  // namespace
}  // namespace graphbench::conformance
