// The contents of a package in its own words: its source, its devices and its batches.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/ir/program.hpp"

namespace graphbench::package {

// A program of the package, under a name that the user gave.
struct Method {
  std::string name;
  std::string pass;
  std::string preset;
};

// A plugin whose kinds of ops occur in a program.
struct PluginFile {
  std::string name;    // without its folder
  std::string sha256;  // of the file
};

// A weight or parameter, as the weights file holds it. Methods share the tensor of a name where its type and
// shape are equal and it is filled alike; else the later method has its own.
struct Tensor {
  std::string name;
  std::string method;  // the only method that uses it; empty: all that have no such tensor of their own
  std::string dtype;
  std::vector<std::int64_t> dims;
  std::int64_t bytes = 0;
  std::string sha256;
};

struct Manifest {
  std::string tool_version;
  std::string tool_commit;
  std::string device;                      // "cuda", "host": the kind
  std::string device_name;                 // where it was compiled
  std::vector<std::string> architectures;  // in the order of known_architectures()
  std::string workload;
  std::string dtype;
  std::string attention;
  std::string epilogues;
  bool general = false;               // other batches may be run too
  std::vector<std::int64_t> batches;  // compiled, rising
  std::vector<Method> methods;
  std::vector<PluginFile> plugins;
  std::vector<Tensor> tensors;
};

// The names that `--arch` takes: "host", "sm_80", ...
const std::vector<std::string>& known_architectures();
// The axes of a sweep that the manifest has a value of: ways that programs were built and prepared.
struct PackagedAxis {
  const char* name;
  std::string Manifest::*value;
};
const std::vector<PackagedAxis>& packaged_axes();
// "sm_90" of "9.0"; "host" of a device without a compute capability.
std::string architecture_of(std::string_view compute_capability);

std::string write_manifest(const Manifest& manifest);
// Accepts exactly what write_manifest() gives. Throws Error(invalid_argument), which names the field.
Manifest read_manifest(std::string_view text);

std::string write_tensors(const std::vector<Tensor>& tensors);
std::vector<Tensor> read_tensors(std::string_view text);  // throws Error(invalid_argument)

// Null if the manifest has none.
const Method* find_method(const Manifest& manifest, std::string_view pass, std::string_view preset);
const Tensor* find_tensor(const Manifest& manifest, std::string_view method, std::string_view name);

}  // namespace graphbench::package
