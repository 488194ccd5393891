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
  // Fills scratch operands with random numbers like those of steps. `own_operands`: those that each layer of
  // a step has for itself; by default operand 1, the weights. Large ones have several copies, so that every
  // launch reads them from memory, as in a step; small ones would stay in a cache there too, and have one.
  CandidateTimer(OpContext& context, const ir::OpCall& op,
                 const std::vector<std::size_t>& own_operands = {1});

  // The cost of the calls; only rough if they take longer than hopeless_seconds. Absent if they cannot be
  // launched or captured.
  std::optional<CandidateCost> cost(std::vector<NativeCall> calls);

 private:
  void run(std::vector<NativeCall>& calls, std::size_t copy);
  CandidateCost replay_cost(std::vector<NativeCall>& calls, int launches);

  const char* op_name_;  // in messages
  // The device's latest stream, which shares the pointer while it exists but is not kept alive by it; an own
  // stream if there is none or it is being captured; and the one of both that is used.
  std::shared_ptr<CudaStream*> shared_stream_;
  std::unique_ptr<CudaStream> own_stream_;
  CudaStream& stream_;
  CudaEvent start_;
  CudaEvent stop_;
  std::vector<Buffer> buffers_;
  // Addresses for each launch, modulo the size: consecutive launches use different copies of the weights.
  std::vector<std::vector<void*>> operands_;
};

}  // namespace graphbench::cuda
