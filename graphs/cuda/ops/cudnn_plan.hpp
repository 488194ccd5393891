// cuDNN's engines for an operation graph, its execution plans, and the cuDNN handle of a device. A plan is
// built once with one engine; each run is one call with any addresses.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "graphs/cuda/handle.hpp"
#include "graphs/cuda/ops/cudnn_graph.hpp"
#include "graphs/cuda/ops/op_builders.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

namespace graphbench::cuda {

class CudnnPlan {
 public:
  cudnnBackendDescriptor_t handle() const noexcept { return plan_.handle(); }
  std::size_t tensor_count() const noexcept { return tensor_count_; }

  // Builds a package's serialised plan. Null if there is none, or if this cuDNN rejects it.
  static std::unique_ptr<CudnnPlan> read(OpContext& context, const std::string& key, const char* object,
                                         const CudnnTensors& tensors);
  // The plan as cuDNN's JSON text. Empty if cuDNN cannot serialise the plan.
  std::string serialised() const;

  // cuDNN's variant pack of these addresses, which are in the order of the tensor ids. The last `packs_max`
  // are kept, because steps repeat their addresses. Callers share ownership, because other ops that use the
  // plan may evict a pack.
  std::shared_ptr<const CudnnDescriptor> pack_for(void* const* addresses);

 private:
  friend class CudnnEngines;
  struct Pack {
    std::vector<void*> addresses;
    std::shared_ptr<const CudnnDescriptor> descriptor;
  };

  CudnnPlan(const CudnnLibrary& library, CudnnDescriptor plan, const CudnnTensors& tensors, void* workspace);
  // Finalizes `plan`. Returns null if cuDNN refuses it, or if it does not fit the workspace.
  static std::unique_ptr<CudnnPlan> finish(OpContext& context, CudnnDescriptor plan,
                                           const CudnnTensors& tensors);

  const CudnnLibrary& library_;
  CudnnDescriptor plan_;
  std::size_t tensor_count_;  // without the constants
  CudnnTensors tensors_;      // the ids include those of the constants, which cuDNN reads at every run
  void* workspace_;
  static constexpr std::size_t packs_max = 64;
  std::vector<Pack> packs_;
};

// Engines, each with knob settings, that are deterministic and compute in fp32, in the heuristic's order.
// Engines that compile their kernel come last: compiling takes long, and a sweep prepares many plans.
class CudnnEngines {
 public:
  // If cuDNN offers the engine `wanted`, lists only that one, because listing all takes long.
  CudnnEngines(OpContext& context, const CudnnDescriptor& graph, ir::DType dtype, const char* object,
               const std::optional<std::string>& wanted = std::nullopt);

  std::size_t size() const noexcept { return configs_.size(); }
  const std::string& name(std::size_t index) const { return configs_.at(index).name; }
  bool compiles(std::size_t index) const { return configs_.at(index).compiles; }

  // Null if cuDNN cannot build the plan or it is too large for the workspace.
  std::unique_ptr<CudnnPlan> build(std::size_t index, const CudnnTensors& tensors) const;

 private:
  struct Config {
    CudnnDescriptor descriptor;
    std::string name;     // the same in every process
    bool allowed = true;  // deterministic, and computes in fp32
    bool compiles = false;
  };
  // Appends the engines of the heuristic `mode`. True if `wanted` is among them; it is then the only entry.
  bool append(const CudnnDescriptor& graph, cudnnBackendHeurMode_t mode, ir::DType dtype,
              const std::optional<std::string>& wanted);
  std::vector<CudnnDescriptor> read(const CudnnDescriptor& from, cudnnBackendAttributeName_t name,
                                    cudnnBackendDescriptorType_t type, int most) const;
  void read_notes(Config& config, const CudnnDescriptor& engine, ir::DType dtype) const;
  void read_name(Config& config, const CudnnDescriptor& engine) const;

  OpContext& context_;
  const CudnnLibrary& library_;
  const char* object_;
  std::vector<Config> configs_;
};

struct CudnnHandle {
  const CudnnLibrary* library = nullptr;
  CudnnOwner owner;
  cudaStream_t stream = nullptr;
  // Plans by key; layers of one shape share a plan. Null: cuDNN has no plan that runs.
  std::map<std::string, std::unique_ptr<CudnnPlan>> plans;

  explicit CudnnHandle(const CudnnLibrary* opened);
  cudnnHandle_t get() const noexcept { return owner.get(); }
  // Call before the handle's stream is destroyed: a later stream at the same address would not be set.
  void forget_stream(const char* object);
};

CudnnHandle& cudnn_handle(OpContext& context);

// `operands`: the op's operands in the order of the tensor ids.
CudnnCall cudnn_call(CudnnHandle& handle, CudnnPlan& plan, const std::vector<std::size_t>& operands);

}  // namespace graphbench::cuda

#endif
