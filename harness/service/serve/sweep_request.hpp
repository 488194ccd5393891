// The bodies of POST /v1/sweeps (the keys of a configuration file as JSON or TOML) and of POST /v1/compare
// (two sweeps by id, or two documents, and settings).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/options/options.hpp"

namespace graphbench::service {

enum class BodyFormat { json, toml };

// What a request may name of the service's files.
enum class CodeKind : std::uint8_t { plugin, step };

struct AskedSweep {
  std::vector<std::string> plugins;
  std::vector<std::string> options;  // all other options: "--batch=1,8", "--workload=step:build"

  // The arguments in the words of the request: "--plugin=mine".
  std::vector<std::string> named() const;
  // The arguments of `graphbench --sweep`; `file_of` returns the file that a name means.
  std::vector<std::string> arguments(
      const std::function<std::string(CodeKind kind, const std::string& name)>& file_of) const;
  friend bool operator==(const AskedSweep&, const AskedSweep&) = default;
};

struct SweepRequest {
  AskedSweep asked;
  options::SweepOptions options;  // without plugins; messages name the key and, in TOML, the line
};

// Checks everything that does not depend on the device and the workloads. JSON keys may have `_` for `-`.
// `plugins` are the valid values of the key `plugins`, which only requests have. `steps` are the files of
// steps of PyTorch, by their names: the workload "llama:build" is the function `build` of `llama`. No file is
// opened. Throws InputError for a malformed body, an unknown or forbidden key (files, addresses) and a wrong
// value.
SweepRequest parse_sweep_request(const std::string& body, BodyFormat format,
                                 const std::vector<std::string>& plugins = {},
                                 const std::map<std::string, std::string>& steps = {});

// `document_of` returns the result document of an ended sweep, or nothing. Returns a graphbench.comparison/1
// document. Throws InputError for a body, id or document of the body that cannot be used, and DamagedDocument
// for a stored document that cannot. Reads no file.
std::string answer_comparison(
    std::string body, const std::function<std::optional<std::string>(const std::string&)>& document_of);

}  // namespace graphbench::service
