// Times prepared calls as a graph would run them: captures them many times on scratch operands, replays the
// graph, and measures between two events. The time includes launch gaps, but no host time.
#pragma once

#include <optional>
#include <vector>

#include "graphs/cuda/ops/op_builders.hpp"
#include "graphs/cuda/stream.hpp"
#include "graphs/cuda/tuning/tuner.hpp"

namespace graphbench::cuda {

class CandidateTimer {
 public:
  // Fills scratch operands with random numbers like those of steps. In a step of many layers, each layer has
  // its own weights (`own_operands`). Large weights come from memory at every launch, so they have several
  // copies here; small weights stay in a cache, so one copy is enough.
  CandidateTimer(OpContext& context, const ir::OpCall& op,
                 const std::vector<std::size_t>& own_operands = {1});

  // The cost of the calls; only rough if they are slow. Absent if they cannot be launched or captured.
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
  // By run: consecutive runs use different copies of the weights.
  std::vector<std::vector<void*>> operands_;
};

}  // namespace graphbench::cuda
