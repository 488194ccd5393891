// Two ops in one kernel, or in one kernel less: the pairs that have one, and the choice between that and two
// kernels.
//
// Each result is rounded as if its op stood alone; sums may be added up in another order.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graphs/cuda/ops/op_builders.hpp"

namespace graphbench::cuda {

// linear, then rmsnorm: the product in fp32 parts, and a kernel that adds them up with bias and residual,
// stores the sum and normalises it.
std::optional<PreparedOp> fuse_product_norm(OpContext& context, const FusionCall& call);
// add, then rmsnorm, in that same kernel.
std::optional<PreparedOp> fuse_add_norm(OpContext& context, const FusionCall& call);

// Ways to compute both ops that are alternatives to their two kernels. Names and key as Tuner has them.
struct FusionCandidates {
  std::string key;
  std::vector<std::string> names;
  std::function<std::vector<NativeCall>(std::size_t)> calls;  // none where it does not run
};

// The calls of the one to use; nothing where two kernels serve. They are timed as a step runs them, with the
// product ahead of a norm and the one behind it: a small kernel costs less than it takes where the weights
// of the product behind it are loaded meanwhile.
std::optional<std::vector<NativeCall>> choose_fusion(OpContext& context, const FusionCall& call,
                                                     const FusionCandidates& candidates);

// Sums, what is added to them, and the norm of that: y = activation(sums + bias) + residual, rounded, and
// normed = rmsnorm(y). Reads and writes an element of y in the same thread, so y may be residual or sums.
struct SumRmsnorm {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  ir::DType dtype = ir::DType::fp32;
  std::int64_t slices = 0;  // of fp32 sums, rows x columns each; 0: `sums` is one tensor of `dtype`
  Source sums;
  Source bias;      // null where there is none
  Source residual;  // null where there is none
  Source y;
  Source gamma;
  Source normed;
  Activation activation = Activation::none;
  float eps = 0.0f;
  bool weights_constant = false;  // no op writes bias or gamma
};
KernelCall sum_rmsnorm_call(const OpContext& context, const SumRmsnorm& spec, const ir::OpCall& call);

}  // namespace graphbench::cuda
