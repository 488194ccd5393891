// The fixture of tests that run a program in a mode on a device.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "harness/model/vocabulary.hpp"
#include "tests/conformance/devices.hpp"
#include "tests/conformance/programs.hpp"

namespace graphbench::conformance {

using ProgramParameter = std::tuple<std::string, ExecutionMode, ir::DType, NamedProgram>;

class ProgramFixture : public DeviceFixture, public ::testing::WithParamInterface<ProgramParameter> {
 protected:
  void SetUp() override { open(std::get<0>(GetParam()), dtype()); }
  static ExecutionMode mode() { return std::get<1>(GetParam()); }
  static ir::DType dtype() { return std::get<2>(GetParam()); }
  ir::Program program() const { return std::get<3>(GetParam()).build(catalog_, dtype()); }
  Rig make_rig(std::int64_t largest_batch) { return rig_of(program(), largest_batch); }

 private:
  ir::OpCatalog catalog_;
};

inline std::string name_of_program_parameter(const ::testing::TestParamInfo<ProgramParameter>& info) {
  const auto& [backend, mode, dtype, program] = info.param;
  return backend + "_" + std::string(execution::name_of(mode)) + "_" + std::string(ir::name_of(dtype)) + "_" +
         program.name;
}

inline std::vector<NamedProgram> all_programs() {
  std::vector<NamedProgram> programs = small_programs();
  programs.insert(programs.end(), base_programs().begin(), base_programs().end());
  programs.insert(programs.end(), training_programs().begin(), training_programs().end());
  return programs;
}

inline std::vector<NamedProgram> programs_with_state() {
  std::vector<NamedProgram> programs;
  for (const NamedProgram& program : all_programs()) {
    if (!program.name.starts_with("train") && program.name.find("attention") != std::string::npos)
      programs.push_back(program);
  }
  return programs;
}

inline auto mode_parameters(const std::vector<ExecutionMode>& modes,
                            const std::vector<NamedProgram>& programs) {
  return ::testing::Combine(::testing::ValuesIn(backends()), ::testing::ValuesIn(modes),
                            ::testing::Values(ir::DType::fp32, ir::DType::bf16, ir::DType::fp16),
                            ::testing::ValuesIn(programs));
}
inline auto graph_mode_parameters(const std::vector<NamedProgram>& programs) {
  std::vector<ExecutionMode> modes;
  for (const model::Mode& mode : model::modes()) {
    if (mode.graph) modes.push_back(execution::find_mode(mode.name).value());
  }
  return mode_parameters(modes, programs);
}

}  // namespace graphbench::conformance
