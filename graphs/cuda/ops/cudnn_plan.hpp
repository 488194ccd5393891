// The engines that cuDNN offers for a graph of operations; an execution plan, which is built once with one of
// them and runs the graph in one call with any addresses; a device's cuDNN handle and its plans.
#pragma once

#include <array>
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

// A number that the host passes by value: four bytes, an fp32 or an i32, by its tensor's type.
struct CudnnConstant {
  std::int64_t id = 0;
  std::array<std::byte, 4> value{};
};

class CudnnPlan {
 public:
  cudnnBackendDescriptor_t handle() const noexcept { return plan_.handle(); }
  std::size_t tensor_count() const noexcept { return tensor_count_; }

  // Reads the plan that a package has for `key`, as cuDNN wrote it down. Null if there is none, or cuDNN
  // does not accept it here. CudnnEngines::build() explains `ids` and `constants`.
  static std::unique_ptr<CudnnPlan> read(OpContext& context, const std::string& key, const char* object,
                                         const std::vector<std::int64_t>& ids,
                                         const std::vector<CudnnConstant>& constants);
  // The plan as JSON, in cuDNN's own form; empty if cuDNN does not write it.
  std::string serialised() const;

  // Returns the descriptor that holds these addresses, in the order of the tensors' ids. It is kept until
  // `packs_max` others have been made, because steps repeat their addresses. Calls that are bound to one keep
  // it longer, because several ops share a plan.
  std::shared_ptr<const CudnnDescriptor> pack_for(void* const* addresses);

 private:
  friend class CudnnEngines;
  struct Pack {
    std::vector<void*> addresses;
    std::shared_ptr<const CudnnDescriptor> descriptor;
  };

  CudnnPlan(const CudnnLibrary& library, CudnnDescriptor plan, std::vector<std::int64_t> ids,
            std::vector<CudnnConstant> constants, void* workspace);
  // Makes a plan from its description. Null if cuDNN cannot make it, or it does not fit the workspace.
  static std::unique_ptr<CudnnPlan> finish(OpContext& context, CudnnDescriptor plan,
                                           const std::vector<std::int64_t>& ids,
                                           const std::vector<CudnnConstant>& constants);

  const CudnnLibrary& library_;
  CudnnDescriptor plan_;
  std::size_t tensor_count_;
  std::vector<std::int64_t> ids_;         // tensors' ids, then constants'
  std::vector<CudnnConstant> constants_;  // cuDNN reads them here at every run
  void* workspace_;
  static constexpr std::size_t packs_max = 64;
  std::vector<Pack> packs_;  // the oldest first
};

// Engines with settings of their knobs that are deterministic and compute in fp32. They are in the
// heuristic's order, but engines that compile their kernel come last, because a sweep prepares many plans.
class CudnnEngines {
 public:
  // Has only the engine that `wanted` names, where cuDNN still offers it, because listing all takes long.
  CudnnEngines(OpContext& context, const CudnnDescriptor& graph, ir::DType dtype, const char* object,
               const std::optional<std::string>& wanted = std::nullopt);

  std::size_t size() const noexcept { return configs_.size(); }
  const std::string& name(std::size_t index) const { return configs_.at(index).name; }
  bool compiles(std::size_t index) const { return configs_.at(index).compiles; }

  // Null if cuDNN cannot build it, or it does not fit the workspace. `ids` are the ids of the tensors,
  // ascending.
  std::unique_ptr<CudnnPlan> build(std::size_t index, const std::vector<std::int64_t>& ids,
                                   const std::vector<CudnnConstant>& constants) const;

 private:
  struct Config {
    CudnnDescriptor descriptor;
    std::string name;       // the same in every process
    bool allowed = true;    // deterministic, arithmetic in fp32 on the given elements
    bool compiles = false;  // builds its kernel at run time, which takes long
  };
  // Returns true if `wanted` was among them, which then is the only one.
  bool append(const CudnnDescriptor& graph, cudnnBackendHeurMode_t mode, ir::DType dtype,
              const std::optional<std::string>& wanted);
  void read_notes(Config& config, const CudnnDescriptor& engine, ir::DType dtype) const;
  void read_name(Config& config, const CudnnDescriptor& engine) const;

  OpContext& context_;
  const CudnnLibrary& library_;
  const char* object_;
  std::vector<Config> configs_;
};

// A device's cuDNN handle and the plans made with it.
struct CudnnHandle {
  const CudnnLibrary* library = nullptr;
  CudnnOwner owner;
  cudaStream_t stream = nullptr;  // the stream that the handle is set to
  // Plans by key: layers of one shape share a plan. Null: cuDNN has none, or another way is faster.
  std::map<std::string, std::unique_ptr<CudnnPlan>> plans;

  explicit CudnnHandle(const CudnnLibrary* opened);
  cudnnHandle_t get() const noexcept { return owner.get(); }
  // Is called before the handle's stream is destroyed, because the next stream may get the same address.
  void forget_stream(const char* object);
};

// Returns the device's handle, which the first call makes.
CudnnHandle& cudnn_handle(OpContext& context);

// Makes one run of the plan. The caller appends the sources of its addresses in the order of the tensors'
// ids.
CudnnCall cudnn_call(CudnnHandle& handle, CudnnPlan& plan);

}  // namespace graphbench::cuda

#endif
