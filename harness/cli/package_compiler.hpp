// Builds, prepares and collects the package of `graphbench compile`, on one device.
#pragma once

#include <functional>
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

// The weights during a compilation: kept in host memory, or with --low-memory ON filled again for the file.
class KeptWeights {
 public:
  explicit KeptWeights(bool low_memory) : low_memory_(low_memory) {}

  // Adds the method's tensors that earlier methods do not have. The weights in `rig` must be filled.
  void add(const package::Method& method, const model::WorkerTask& task, const ir::Program& program,
           measure::TaskRig& rig, std::vector<package::Tensor>& tensors);

  // Writes the file. With --low-memory ON, fills the weights of one method at a time on the device again:
  // the caller must have freed the memory of all methods.
  void write(Device& device, const std::vector<package::Tensor>& tensors, const package::TakePart& write);

  // The peak of host memory that weights took.
  std::size_t staging_bytes() const noexcept { return staging_bytes_; }

 private:
  struct Source {
    model::WorkerTask task;
    ir::Program program;
  };
  // Where a tensor comes from: an index in sources_, and the id of a value of that program.
  struct Origin {
    std::size_t source = 0;
    ir::ValueId id = 0;
  };

  // Copies a tensor to the host, in one part unless --low-memory is ON. The last part stays in part_.
  void download(measure::TaskRig& rig, ir::ValueId id, const package::TakePart& take);
  void keep(std::string content);

  const bool low_memory_;
  std::vector<std::unique_ptr<const Source>> sources_;
  std::vector<Origin> origins_;                                        // by tensor
  std::map<std::string, std::pair<ir::TensorDesc, ir::Init>> shared_;  // by name
  std::vector<std::string> contents_;  // by tensor; empty with --low-memory ON
  std::string part_;
  std::size_t kept_bytes_ = 0;
  std::size_t staging_bytes_ = 0;
};

// The values of the user's options that the manifest does not have as written. If preset, architectures or
// the manifest's dtype are empty, the device decides.
struct CompileRequest {
  std::string preset;
  std::string device = "auto";
  std::string batches;
  std::string architectures;
  std::string weights;
  std::string output;
  std::string cache;
  std::string low_memory = "OFF";
  std::string timeout = "120";
  std::vector<std::string> methods;
  std::vector<std::string> plugins;
};

// What a compilation begins, or still does. If the process ends in it, the cause is the `option` and its
// `subject`, or without an option this machine.
struct CompileStage {
  std::string option;
  std::string subject;  // "plugin \"p.so\""
  std::string during;   // "while the file was loaded"
};
using TellStage = std::function<void(const CompileStage& stage)>;

class PackageCompiler {
 public:
  // `asked` must outlive this object. The compiler adds the device's values to `manifest`. All functions
  // throw InputError, which names the option, for a user's mistake, and Error for a limit of the device.
  PackageCompiler(const CompileRequest& asked, package::Manifest manifest, TellStage tell);

  package::Package run();
  // Call after run().
  void write_weights(const std::vector<package::Tensor>& tensors, const package::TakePart& write);
  void print_memory() const;

 private:
  std::map<std::string, std::string> load_plugins();  // paths by kind of op
  void begin(CompileStage stage);
  void open();
  void compile(const package::Method& method, const std::map<std::string, std::string>& plugin_of_kind);
  // Frees the method's device memory before it returns.
  void prepare(const package::Method& method, const model::WorkerTask& task, const ir::Program& program);

  const CompileRequest& asked_;
  const TellStage tell_;
  CompileStage stage_;
  std::string title_;  // the workload in words
  package::Package package_;
  abi::WorkloadRegistry registry_;
  std::unique_ptr<Device> device_;
  std::set<std::string> needed_plugins_;
  KeptWeights weights_;
  std::size_t left_bytes_ = 0;  // the most device memory left in use after a method
};

}  // namespace graphbench::cli
