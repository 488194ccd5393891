// Times a prepared call as a graph would run it: captured many times on scratch operands, replayed, and
// measured between two events, so that launch gaps count and the host does not.
#pragma once

#include <optional>
#include <vector>

#include "graphs/cuda/ops/op_builders.hpp"
#include "graphs/cuda/stream.hpp"
#include "graphs/cuda/tuning/tuner.hpp"

namespace graphbench::cuda {

class CandidateTimer {
 public:
  // Allocates scratch operands of the op's shapes and fills them with numbers like those of steps. Each layer
  // has its own weights (`own_operands`). In a step of many layers, large ones come from memory at every
  // launch, so there are enough copies of them here; small ones are in a cache, and have one copy.
  CandidateTimer(OpContext& context, const ir::OpCall& op,
                 const std::vector<std::size_t>& own_operands = {1});

  // The cost of one run of the calls, rough where they take long; absent if they cannot be launched or
  // captured.
  std::optional<CandidateCost> cost(std::vector<NativeCall> calls);

 private:
  void run(std::vector<NativeCall>& calls, std::size_t copy);
  CandidateCost replay_cost(std::vector<NativeCall>& calls, int launches);

  const char* object_;
  std::shared_ptr<CudaStream*> shared_stream_;  // does not keep the stream alive; see OpContext
  std::unique_ptr<CudaStream> own_stream_;
  CudaStream& stream_;
  CudaEvent start_;
  CudaEvent stop_;
  std::vector<Buffer> buffers_;
  // operands of each run: runs use different copies of a layer's weights
  std::vector<std::vector<void*>> operands_;
};

}  // namespace graphbench::cuda
