// Eager's answer to a whole workload against the same program walked op by op in fp64, from the same
// inputs, weights and state: what precision a workload keeps over all its layers.
#include <cmath>

#include "tests/conformance/op_registry.hpp"
#include "tests/conformance/program_fixture.hpp"

namespace graphbench::conformance {
namespace {

// The fp64 side keeps every value of the program unrounded between ops.
class Reference {
 public:
  Reference(Rig& rig, std::int64_t batch) : rig_(rig), batch_(batch), values_(program().values().size()) {
    for (ir::ValueId id = 0; id < values_.size(); ++id) {
      if (const void* address = rig.buffers().address(id)) values_[id] = read(address, id);
    }
  }

  void run() {
    for (ir::OpId id = 0; id < program().ops().size(); ++id) {
      const ir::Op& op = program().ops()[id];
      if (op.traits.marker) continue;
      std::vector<Tensor> inputs;
      for (const ir::ValueId input : op.inputs) inputs.push_back(values_[input]);
      std::vector<Tensor> outputs = reference(program().call(id, batch_), inputs);
      // What the op mutated, it changed in its copy.
      for (std::size_t i = 0; i < inputs.size(); ++i) values_[op.inputs[i]] = std::move(inputs[i]);
      for (std::size_t i = 0; i < outputs.size(); ++i) values_[op.outputs[i]] = std::move(outputs[i]);
    }
  }

  // ||actual - expected|| / ||expected||, over all elements of the value.
  double relative_error(ir::ValueId id, const void* address) const {
    const Tensor actual = read(address, id);
    const Tensor& expected = values_.at(id);
    EXPECT_EQ(actual.size(), expected.size());
    double difference = 0;
    double norm = 0;
    for (std::size_t i = 0; i < actual.size(); ++i) {
      difference += (actual[i] - expected[i]) * (actual[i] - expected[i]);
      norm += expected[i] * expected[i];
    }
    EXPECT_GT(norm, 0) << "a value of zeros would hide every error";
    return std::sqrt(difference / norm);
  }

 private:
  const ir::Program& program() const { return rig_.program(); }
  Tensor read(const void* address, ir::ValueId id) const {
    const ir::TensorDesc desc = program().describe(id, batch_);
    return decode(rig_.read(address, desc.bytes()), desc.dtype);
  }

  Rig& rig_;
  std::int64_t batch_;
  std::vector<Tensor> values_;
};

// Of a workload's result after eight layers. fp32 has no room for tf32, which keeps 10 bits of mantissa.
double error_max(ir::DType dtype) {
  return dtype == ir::DType::fp32 ? 1e-5 : dtype == ir::DType::fp16 ? 2e-3 : 1e-2;
}

using WorkloadConformance = ProgramFixture;

TEST_P(WorkloadConformance, EagerAgreesWithTheWholeProgramInFp64) {
  const ir::Program p = program();
  Rig rig(device(), stream(), p, 4);
  double worst = 0;
  for (const std::int64_t batch : {1, 2, 4}) {
    rig.reset(40 + static_cast<std::uint64_t>(batch));
    stream().synchronize();
    Reference expected(rig, batch);
    expected.run();
    const auto executor = rig.make(ExecutionMode::eager, batch);
    executor->submit();
    stream().synchronize();
    for (const ir::ValueId id : p.values_of(ir::ValueKind::output)) {
      const double error = expected.relative_error(id, executor->output(id));
      worst = std::max(worst, error);
      EXPECT_LE(error, error_max(dtype())) << "output " << p.value(id).name << ", batch " << batch;
    }
    for (const ir::ValueId id : ir::mutated_state(p)) {
      const double error = expected.relative_error(id, rig.buffers().address(id));
      worst = std::max(worst, error);
      EXPECT_LE(error, error_max(dtype())) << "state " << p.value(id).name << ", batch " << batch;
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

INSTANTIATE_TEST_SUITE_P(
    Devices, WorkloadConformance,
    ::testing::Combine(::testing::ValuesIn(backends()), ::testing::Values(ExecutionMode::eager),
                       ::testing::Values(ir::DType::fp32, ir::DType::bf16, ir::DType::fp16),
                       ::testing::ValuesIn(programs_with_a_reference())),
    name_of_program_parameter);

}  // namespace
}  // namespace graphbench::conformance
