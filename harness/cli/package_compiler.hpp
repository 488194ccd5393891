// Makes a package of what `graphbench compile` was asked for: builds, prepares and collects, on one device.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "graphs/abi/plugin.hpp"
#include "graphs/device/device.hpp"
#include "harness/cli/kept_weights.hpp"
#include "harness/model/plan.hpp"
#include "harness/package/package.hpp"

namespace graphbench::cli {

// What the person gave; empty where it depends on the device.
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
  // `asked` outlives this; `manifest` has what was given, and gets what the device decides. Everything throws
  // InputError, naming the option, for what the person can mend, and Error for what the device cannot do.
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
