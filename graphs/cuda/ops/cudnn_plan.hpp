// The engines cuDNN offers for a graph of operations, and an execution plan: the graph in one call,
// built once with one of them, run with any addresses.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "graphs/cuda/ops/cudnn_descriptor.hpp"
#include "graphs/cuda/ops/op_builders.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

namespace graphbench::cuda {

// A number that the host passes by value: four bytes, an fp32 or an i32 as its tensor says.
struct CudnnConstant {
  std::int64_t id = 0;
  std::array<std::byte, 4> value{};
};

class CudnnPlan {
 public:
  cudnnBackendDescriptor_t handle() const noexcept { return plan_.handle(); }
  std::size_t tensor_count() const noexcept { return tensor_count_; }

  // The plan that a package has of the choice known for `key`, as cuDNN once wrote it down; null where there
  // is none, or cuDNN does not take it here. `ids` and `constants` as of CudnnEngines::build().
  static std::unique_ptr<CudnnPlan> read(OpContext& context, const std::string& key, const char* object,
                                         const std::vector<std::int64_t>& ids,
                                         const std::vector<CudnnConstant>& constants);
  // As cuDNN writes it down: JSON. Empty where it does not.
  std::string serialised() const;

  // The descriptor that holds these addresses, in the order of the tensors' ids; made on first sight and
  // kept, since steps repeat theirs: until `packs_max` others have been made, where they never repeat. Calls
  // that are bound to one keep it longer: several ops share a plan.
  std::shared_ptr<const CudnnDescriptor> pack_for(void* const* addresses);

 private:
  friend class CudnnEngines;
  struct Pack {
    std::vector<void*> addresses;
    std::shared_ptr<const CudnnDescriptor> descriptor;
  };

  CudnnPlan(const CudnnLibrary& library, CudnnDescriptor plan, std::vector<std::int64_t> ids,
            std::vector<CudnnConstant> constants, void* workspace);
  // Of a plan that is described. Null where cuDNN cannot, or not in the workspace.
  static std::unique_ptr<CudnnPlan> finish(OpContext& context, CudnnDescriptor plan,
                                           const std::vector<std::int64_t>& ids,
                                           const std::vector<CudnnConstant>& constants);

  const CudnnLibrary& library_;
  CudnnDescriptor plan_;
  std::size_t tensor_count_;
  std::vector<std::int64_t> ids_;         // of the tensors, then of the constants
  std::vector<CudnnConstant> constants_;  // cuDNN reads them here at every run
  void* workspace_;
  static constexpr std::size_t packs_max = 64;
  std::vector<Pack> packs_;  // the oldest first
};

// Engines and settings of their knobs: those that are deterministic and do their arithmetic in fp32. In
// the heuristic's order, but those that compile their kernel last: a sweep prepares many plans.
class CudnnEngines {
 public:
  // With `wanted`, an engine's name, only that one, where cuDNN still offers it: listing them all takes long.
  CudnnEngines(OpContext& context, const CudnnDescriptor& graph, ir::DType dtype, const char* object,
               const std::optional<std::string>& wanted = std::nullopt);

  std::size_t size() const noexcept { return configs_.size(); }
  const std::string& name(std::size_t index) const { return configs_.at(index).name; }
  bool compiles(std::size_t index) const { return configs_.at(index).compiles; }

  // Null where cuDNN cannot after all, or not in the workspace. `ids`: the tensors, in ascending order.
  std::unique_ptr<CudnnPlan> build(std::size_t index, const std::vector<std::int64_t>& ids,
                                   const std::vector<CudnnConstant>& constants) const;

 private:
  struct Config {
    CudnnDescriptor descriptor;
    std::string name;       // the same in every process
    bool allowed = true;    // deterministic, arithmetic in fp32 on the given elements
    bool compiles = false;  // builds its kernel at run time, which takes long
  };
  // Whether `wanted` was among them; it is the only one then.
  bool append(const CudnnDescriptor& graph, cudnnBackendHeurMode_t mode, ir::DType dtype,
              const std::optional<std::string>& wanted);
  void read_notes(Config& config, const CudnnDescriptor& engine, ir::DType dtype) const;
  void read_name(Config& config, const CudnnDescriptor& engine) const;

  OpContext& context_;
  const CudnnLibrary& library_;
  const char* object_;
  std::vector<Config> configs_;
};

}  // namespace graphbench::cuda

#endif
