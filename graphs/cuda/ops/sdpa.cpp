// sdpa: reads the op, then takes cuDNN where it can.
#include "graphs/cuda/ops/sdpa.hpp"

#include <cmath>

namespace graphbench::cuda {

SdpaParameters sdpa_parameters(const SdpaShape& shape) {
  SdpaParameters parameters{};
  parameters.queries = shape.batch * shape.heads * shape.tokens;
  parameters.heads = static_cast<int>(shape.heads);
  parameters.tokens = static_cast<int>(shape.tokens);
  parameters.head_dim = static_cast<int>(shape.head_dim);
  parameters.slots = static_cast<int>(shape.slots);
  parameters.keys_per_split = parameters.slots;
  parameters.splits = 1;
  parameters.causal = shape.causal;
  parameters.scale_log2 =
      static_cast<float>(1.4426950408889634 / std::sqrt(static_cast<double>(shape.head_dim)));
  return parameters;
}

PreparedOp prepare_sdpa(OpContext& context, const ir::OpCall& call) {
  const std::vector<std::int64_t>& q = call.input(0).dims;
  SdpaShape shape;
  shape.batch = q.at(0);
  shape.heads = q.at(1);
  shape.tokens = q.at(2);
  shape.head_dim = q.at(3);
  shape.slots = call.input(1).dims.at(2);
  shape.causal = ir::integer_attribute(*call.op, "causal") != 0;
  shape.dtype = call.input(0).dtype;
  std::string why_not_cudnn;
  if (is_for_cudnn(shape)) {
    why_not_cudnn = "cuDNN is not installed, or switched off";
    if (context.use_cudnn) {
      if (std::optional<PreparedOp> fused = prepare_sdpa_cudnn(context, shape, call))
        return std::move(*fused);
      why_not_cudnn = "cuDNN has no sound kernel for it";
    }
  }
  PreparedOp own = prepare_sdpa_vector(context, shape, call);
  own.path = KernelPath{.name = "sdpa:vector", .fallback = std::move(why_not_cudnn)};
  return own;
}

}  // namespace graphbench::cuda
