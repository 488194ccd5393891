// The bodies of POST /v1/sweeps, the keys of a configuration file as JSON or TOML, and of POST /v1/compare:
// two sweeps by id, or two documents, and how to compare them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/options/options.hpp"

namespace graphbench::serve {

enum class BodyFormat { json, toml };

// Options of `graphbench --sweep`.
struct AskedSweep {
  std::vector<std::string> plugins;  // by name
  std::vector<std::string> options;  // the others: "--batch=1,8"

  // All plugins of the request, each with the path that `file_of` gives.
  std::vector<std::string> arguments(const std::function<std::string(const std::string&)>& file_of) const;
  friend bool operator==(const AskedSweep&, const AskedSweep&) = default;
};

struct SweepRequest {
  AskedSweep asked;
  config::SweepOptions options;  // the other options; a message about one names its key, and in TOML its line
};

// Checks all that does not depend on the device and the workloads. JSON keys may have `_` in place of `-`.
// `plugins` are the names that the key `plugins`, which configuration files lack, may hold; no file is looked
// for. Throws InputError for a malformed body, an unknown key or one that a request may not give (files,
// addresses), and a wrong value.
SweepRequest parse_sweep_request(const std::string& body, BodyFormat format,
                                 const std::vector<std::string>& plugins = {});

// `document_of` returns an ended sweep's result document, or nothing. Returns a document
// graphbench.comparison/1. Throws InputError for a body, id or document that cannot be used. Reads no file.
std::string answer_comparison(
    std::string body, const std::function<std::optional<std::string>(const std::string&)>& document_of);

}  // namespace graphbench::serve
