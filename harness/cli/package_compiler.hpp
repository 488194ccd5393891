// Makes the package that `graphbench compile` was asked for: builds, prepares and collects, on one device.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graphs/abi/plugin.hpp"
#include "graphs/device/device.hpp"
#include "graphs/ir/program.hpp"
#include "harness/measure/worker/task_rig.hpp"
#include "harness/model/plan.hpp"
#include "harness/package/manifest.hpp"
#include "harness/package/package.hpp"
#include "harness/package/weights.hpp"

namespace graphbench::cli {

// The weights of a package while it is compiled: all in memory, or made a second time as the file is written.
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
  // The function that fills a method's weights.
  struct Source {
    model::WorkerTask task;
    ir::Program program;
  };
  // The source of a tensor.
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
  std::vector<std::string> contents_;                                  // per tensor, unless memory is low
  std::string part_;
  std::size_t kept_bytes_ = 0;  // of contents_
  std::size_t staging_bytes_ = 0;
};

// The value that the user gave; empty if it depends on the device.
struct CompileRequest {
  std::string workload;
  std::string preset;
  std::string dtype;
  std::string device = "auto";
  std::string batches;
  std::string architectures;
  std::map<std::string, std::string> axes;  // of package::packaged_axes()
  std::string weights;
  std::string output;
  std::string cache;
  std::string low_memory = "OFF";
  std::vector<std::string> methods;
  std::vector<std::string> plugins;
  bool general = false;
};

class PackageCompiler {
 public:
  // `asked` outlives this. `manifest` has the user's values, and receives the device's. Everything throws
  // InputError, which names the option, for mistakes of the user, and Error for limits of the device.
  PackageCompiler(const CompileRequest& asked, package::Manifest manifest);

  package::Package run();
  // After run().
  void write_weights(const std::vector<package::Tensor>& tensors, const package::TakePart& write);
  void print_memory() const;

 private:
  std::map<std::string, std::string> load_plugins();  // by kind of op
  void open();
  void compile(const package::Method& method, const std::map<std::string, std::string>& plugin_of_kind);
  // The method is on the device as long as this runs.
  void prepare(const package::Method& method, const model::WorkerTask& task, const ir::Program& program);

  const CompileRequest& asked_;
  package::Package package_;
  abi::WorkloadRegistry registry_;
  std::unique_ptr<Device> device_;
  std::set<std::string> needed_plugins_;
  KeptWeights weights_;
  std::size_t left_bytes_ = 0;  // the most that a method has left on the device
};

}  // namespace graphbench::cli
