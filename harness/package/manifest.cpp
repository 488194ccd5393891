// Writes and reads the manifest as JSON.
#include "harness/package/manifest.hpp"

#include <algorithm>
#include <set>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/codec/messages.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::model {

GB_DESCRIBE(package::Method, name, pass, preset);
GB_DESCRIBE(package::PluginFile, name, sha256);
GB_DESCRIBE(package::Tensor, name, method, dtype, dims, bytes, sha256);
GB_DESCRIBE(package::Manifest, tool_version, tool_commit, device, device_name, architectures, workload, dtype,
            attention, epilogues, general, batches, methods, plugins, tensors);

struct TensorList {
  std::vector<package::Tensor> tensors;
};
GB_DESCRIBE(TensorList, tensors);

}  // namespace graphbench::model

namespace graphbench::package {
namespace {

[[noreturn]] void refuse_manifest(const std::string& field, const std::string& why) {
  throw Error(ErrorCode::invalid_argument, field + ": " + why);
}

bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  });
}

void check_architectures(const Manifest& manifest) {
  // The manifest's architectures that are known and fit its device, in the order of known_architectures().
  std::vector<std::string> wanted;
  for (const std::string& each : known_architectures()) {
    if (contains(manifest.architectures, each) && (each == "host") == (manifest.device == "host"))
      wanted.push_back(each);
  }
  if (wanted.empty()) refuse_manifest("architectures", "the list is empty");
  if (wanted != manifest.architectures)
    refuse_manifest(
        "architectures",
        "the architectures are unsorted, repeated, or not for a device of kind " + manifest.device);
}

void check_methods(const Manifest& manifest) {
  if (manifest.methods.empty()) refuse_manifest("methods", "the list is empty");
  std::set<std::string> names;
  for (const Method& method : manifest.methods) {
    if (!is_name(method.name) || !names.insert(method.name).second)
      refuse_manifest("methods", in_quotes(method.name) + " is an invalid or repeated name");
    if (!contains(model::names_of(model::passes()), method.pass))
      refuse_manifest("methods", in_quotes(method.pass) + " is not a pass");
    if (find_method(manifest, method.pass, method.preset) != &method)
      refuse_manifest("methods", method.name + " has the pass and preset of another method");
  }
}

void check_listed_tensors(const Manifest& manifest) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const Tensor& tensor : manifest.tensors) {
    const std::string field = "tensors: " + tensor.name;
    if (tensor.name.empty() || !seen.emplace(tensor.method, tensor.name).second)
      refuse_manifest(field, "the tensor has no name or appears twice");
    const std::optional<ir::DType> dtype = ir::parse_dtype(tensor.dtype);
    if (!dtype) refuse_manifest(field, in_quotes(tensor.dtype) + " is not a dtype");
    if (std::ranges::any_of(tensor.dims, [](std::int64_t extent) { return extent < 1; }) ||
        static_cast<std::int64_t>(ir::TensorDesc{*dtype, tensor.dims}.bytes()) != tensor.bytes)
      refuse_manifest(field, "the tensor's size does not match its shape");
  }
}

}  // namespace

const std::vector<std::string>& known_architectures() {
  static const std::vector<std::string> known = {"host",  "sm_75",  "sm_80",  "sm_86",  "sm_87",  "sm_89",
                                                 "sm_90", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"};
  return known;
}

const std::vector<PackagedAxis>& packaged_axes() {
  static const std::vector<PackagedAxis> packaged = {{"attention", &Manifest::attention},
                                                     {"epilogues", &Manifest::epilogues}};
  return packaged;
}

std::string architecture_of(std::string_view compute_capability) {
  if (compute_capability.empty()) return "host";
  std::string name = "sm_" + std::string(compute_capability);
  std::erase(name, '.');
  return name;
}

std::string write_manifest(const Manifest& manifest) {
  return model::write_data(manifest);
}

Manifest read_manifest(std::string_view text) {
  const auto manifest = model::read_data<Manifest>(text, "manifest");
  if (manifest.device != "cuda" && manifest.device != "host")
    refuse_manifest("device", in_quotes(manifest.device) + " is not a device kind");
  check_architectures(manifest);
  if (!ir::parse_dtype(manifest.dtype))
    refuse_manifest("dtype", in_quotes(manifest.dtype) + " is not a dtype");
  for (const PackagedAxis& axis : packaged_axes()) {
    const model::Axis& row = model::axis_named(axis.name);
    if (!contains(row.choices, manifest.*axis.value))
      refuse_manifest(axis.name, in_quotes(manifest.*axis.value) + " is not a " + row.noun);
  }
  if (!is_name(manifest.workload))
    refuse_manifest("workload", in_quotes(manifest.workload) + " is not a valid workload name");
  if (manifest.batches.empty() || manifest.batches.front() < 1 ||
      std::ranges::adjacent_find(manifest.batches, std::greater_equal<>()) != manifest.batches.end())
    refuse_manifest("batches", "the batches are not an increasing list of sizes");
  check_methods(manifest);
  check_listed_tensors(manifest);
  if (write_manifest(manifest) != text)
    refuse_manifest("manifest", "the text is not in the format of a graphbench manifest");
  return manifest;
}

std::string write_tensors(const std::vector<Tensor>& tensors) {
  return model::write_data(model::TensorList{tensors});
}

std::vector<Tensor> read_tensors(std::string_view text) {
  return model::read_data<model::TensorList>(text, "tensors").tensors;
}

const Method* find_method(const Manifest& manifest, std::string_view pass, std::string_view preset) {
  const auto found = std::ranges::find_if(
      manifest.methods, [&](const Method& each) { return each.pass == pass && each.preset == preset; });
  return found == manifest.methods.end() ? nullptr : &*found;
}

const Tensor* find_tensor(const Manifest& manifest, std::string_view method, std::string_view name) {
  const Tensor* shared = nullptr;
  for (const Tensor& tensor : manifest.tensors) {
    if (tensor.name != name) continue;
    if (tensor.method == method) return &tensor;
    if (tensor.method.empty()) shared = &tensor;
  }
  return shared;
}

}  // namespace graphbench::package
