// The weights of a package while it is compiled: all of them in memory, or made a second time as the file is
// written.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graphs/ir/program.hpp"
#include "harness/measure/worker/task_rig.hpp"
#include "harness/model/plan.hpp"
#include "harness/package/manifest.hpp"
#include "harness/package/weights.hpp"

namespace graphbench::cli {

class KeptWeights {
 public:
  explicit KeptWeights(bool low_memory) : low_memory_(low_memory) {}

  // Adds a method's tensors that no earlier one has. Its rig has just been filled.
  void add(const package::Method& method, const model::WorkerTask& task, const ir::Program& program,
           worker::TaskRig& rig, std::vector<package::Tensor>& tensors);

  // The file. In low memory each method is filled on the device once more: no other may be on it.
  void write(Device& device, const std::vector<package::Tensor>& tensors, const package::TakePart& write);

  // The most of the host's memory that weights have taken.
  std::size_t staging_bytes() const noexcept { return staging_bytes_; }

 private:
  // What fills a method's weights.
  struct Source {
    model::WorkerTask task;
    ir::Program program;
  };
  // Where a tensor comes from.
  struct Origin {
    std::size_t source = 0;
    ir::ValueId id = 0;
  };

  // Leaves the last part in part_: the whole tensor unless memory is low.
  void download(worker::TaskRig& rig, ir::ValueId id, const package::TakePart& take);
  void keep(std::string content);

  const bool low_memory_;
  std::vector<std::unique_ptr<const Source>> sources_;
  std::vector<Origin> origins_;                                        // by tensor
  std::map<std::string, std::pair<ir::TensorDesc, ir::Init>> shared_;  // by name
  std::vector<std::string> contents_;                                  // by tensor, unless memory is low
  std::string part_;
  std::size_t kept_bytes_ = 0;  // of contents_
  std::size_t staging_bytes_ = 0;
};

}  // namespace graphbench::cli
