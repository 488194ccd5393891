// Times a prepared call as a graph would run it: captured many times over on scratch operands, replayed,
// and measured between two events, so that launch gaps count and the host does not.
#pragma once

#include <optional>
#include <vector>

#include "graphs/cuda/ops/op_builders.hpp"
#include "graphs/cuda/stream.hpp"
#include "graphs/cuda/tuning/tuner.hpp"

namespace graphbench::cuda {

class CandidateTimer {
 public:
  // Scratch operands of the op's shapes, filled with numbers of the kind that steps see. Operand 1, the
  // weight, exists often enough that it comes from memory at every launch, as in a step whose layers
  // have weights of their own; small ones would be cached in a step too and exist once.
  CandidateTimer(OpContext& context, const ir::OpCall& op);

  // Of one run of the calls, roughly where they take long; nothing where they cannot be launched or
  // captured.
  std::optional<CandidateCost> cost(std::vector<NativeCall> calls);

 private:
  void run(std::vector<NativeCall>& calls, std::size_t copy);
  CandidateCost replay_cost(std::vector<NativeCall>& calls, int launches);

  const char* object_;
  std::shared_ptr<CudaStream*> shared_stream_;  // keeps nothing alive; see OpContext
  std::unique_ptr<CudaStream> own_stream_;
  CudaStream& stream_;
  CudaEvent start_;
  CudaEvent stop_;
  std::vector<Buffer> buffers_;
  std::vector<std::vector<void*>> operands_;  // by copy of the weight
};

}  // namespace graphbench::cuda
