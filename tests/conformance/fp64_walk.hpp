// A program walked op by op in fp64, from the definitions of its ops: nothing is rounded in between.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/conformance/devices.hpp"
#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {

class Fp64Walk {
 public:
  // `program` outlives the walk.
  Fp64Walk(const ir::Program& program, std::int64_t batch);
  // Of a rig, which `seed` resets.
  Fp64Walk(Rig& rig, std::int64_t batch, std::uint64_t seed);

  // What inputs, weights, parameters and state hold, where that is not what a rig's buffers do: values from a
  // seed.
  void fill(std::uint64_t seed);
  void run();

  Tensor& value(ir::ValueId id) { return values_.at(id); }
  // ||actual - expected|| / ||expected||, over all elements of the value; `address` holds the actual ones.
  double relative_error(Rig& rig, ir::ValueId id, const void* address) const;

 private:
  Tensor read(Rig& rig, ir::ValueId id, const void* address) const;

  const ir::Program& program_;
  std::int64_t batch_;
  std::vector<Tensor> values_;
};

}  // namespace graphbench::conformance
