// Eager's answer to a whole workload against the same program walked op by op in fp64, from the same
// inputs, weights and state: what precision a workload keeps over all its layers.
#include "tests/conformance/fp64_walk.hpp"
#include "tests/conformance/program_fixture.hpp"

namespace graphbench::conformance {
namespace {

// Of a workload's result after eight layers. fp32 has no room for tf32, which keeps 10 bits of mantissa.
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
