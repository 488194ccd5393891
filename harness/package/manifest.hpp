// The manifest describes a package: its source, devices, batches, methods and tensors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/ir/program.hpp"

namespace graphbench::package {

// A program of the package, with the name that the user gave it.
struct Method {
  std::string name;
  std::string pass;
  std::string preset;
};

// A plugin that defines ops of the package's programs.
struct PluginFile {
  std::string name;  // without its folder
  std::string sha256;
};

// A weight or parameter in the weights file. Methods share a tensor if name, type, shape and initial values
// are equal. Otherwise the later method has a separate tensor of this name.
struct Tensor {
  std::string name;
  std::string method;  // the only method that uses it; empty: shared
  std::string dtype;
  std::vector<std::int64_t> dims;
  std::int64_t bytes = 0;
  std::string sha256;
};

struct Manifest {
  std::string tool_version;
  std::string tool_commit;
  std::string device;                      // "cuda", "host": the kind
  std::string device_name;                 // of the device on which the package was compiled
  std::vector<std::string> architectures;  // in the order of known_architectures()
  std::string workload;
  std::string dtype;
  std::string attention;
  std::string epilogues;
  bool general = false;               // whether batches that were not compiled may run
  std::vector<std::int64_t> batches;  // compiled batches, ascending
  std::vector<Method> methods;
  std::vector<PluginFile> plugins;
  std::vector<Tensor> tensors;
};

// The values of `--arch`: "host", "sm_80", ...
const std::vector<std::string>& known_architectures();
// An axis whose value the manifest has, because it decides how programs are built and prepared.
struct PackagedAxis {
  const char* name;
  std::string Manifest::*value;
};
const std::vector<PackagedAxis>& packaged_axes();
// Returns "sm_90" for "9.0", and "host" for a device without a compute capability.
std::string architecture_of(std::string_view compute_capability);

std::string write_manifest(const Manifest& manifest);
// Accepts only what write_manifest() writes. Throws Error(invalid_argument), which names the field.
Manifest read_manifest(std::string_view text);

std::string write_tensors(const std::vector<Tensor>& tensors);
std::vector<Tensor> read_tensors(std::string_view text);  // throws Error(invalid_argument)

const Method* find_method(const Manifest& manifest, std::string_view pass, std::string_view preset);
const Tensor* find_tensor(const Manifest& manifest, std::string_view method, std::string_view name);

}  // namespace graphbench::package
