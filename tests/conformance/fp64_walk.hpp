// A program computed op by op in fp64, from the definitions of its ops, without rounding to other dtypes.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/conformance/devices.hpp"
#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {

class Fp64Walk {
 public:
  // `program` must outlive the walk.
  Fp64Walk(const ir::Program& program, std::int64_t batch);
  // Resets the rig with `seed`, and starts from the values in its buffers.
  Fp64Walk(Rig& rig, std::int64_t batch, std::uint64_t seed);

  // Sets inputs, weights, parameters and state to values from `seed`; for a walk without a rig.
  void fill(std::uint64_t seed);
  void run();

  Tensor& value(ir::ValueId id) { return values_.at(id); }
  // ||actual - expected|| / ||expected||, over all elements of the value. The actual value is at `address`.
  double relative_error(Rig& rig, ir::ValueId id, const void* address) const;

 private:
  Tensor read(Rig& rig, ir::ValueId id, const void* address) const;

  const ir::Program& program_;
  std::int64_t batch_;
  std::vector<Tensor> values_;
};

}  // namespace graphbench::conformance
