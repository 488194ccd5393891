// Helpers of the CUDA backend's tests: a GPU or a reason to skip, host tensors, and a run of one op.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graphs/cuda/cuda_device.hpp"
#include "graphs/ir/program.hpp"
#include "tests/support/print.hpp"
#include "tests/support/rig.hpp"

namespace graphbench::cuda {

// Values as doubles, already rounded to the tensor's element type.
struct HostTensor {
  ir::TensorDesc desc;
  std::vector<double> values;
};

double rounded(ir::DType dtype, double value);
HostTensor random_tensor(ir::DType dtype, std::vector<std::int64_t> dims, std::uint64_t seed,
                         double low = -1.0, double high = 1.0);
HostTensor constant_tensor(ir::DType dtype, std::vector<std::int64_t> dims, double value);
test::Bytes encode(const HostTensor& tensor);

double relative_error(const std::vector<double>& actual, const std::vector<double>& expected);
double tolerance(ir::DType dtype);  // for one op, in units of relative_error()

struct OpCase {
  std::string kind;
  ir::Attributes attributes;
  std::vector<HostTensor> inputs;
  std::vector<ir::TensorDesc> outputs;
};

// Fills in `op`, to which the returned call points.
ir::OpCall describe(const OpCase& op_case, ir::Op& op);

// The operands after one launch: the inputs (which an op may have changed), then the outputs.
struct OpResult {
  std::vector<std::vector<double>> operands;
  std::vector<test::Bytes> bytes;
  KernelPath path;
};

class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override;

  CudaDevice& device() { return *shared_device(); }
  // Runs the op eagerly and from a captured graph; the test fails if the two results differ in a bit.
  OpResult run(const OpCase& op_case, CudaDevice& on);
  OpResult run(const OpCase& op_case) { return run(op_case, device()); }

 private:
  static CudaDevice* shared_device();
};

}  // namespace graphbench::cuda
