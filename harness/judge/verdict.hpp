// From a comparison to what the person sees and the exit code: what compare and ab share.
#pragma once

#include <string>

#include "harness/judge/report/formats.hpp"
#include "harness/model/comparison.hpp"
#include "harness/options/command_options.hpp"

namespace graphbench::cli {

// How a verdict is reached and shown, as it was written; empty: not given.
struct VerdictArguments {
  std::string margin;
  std::string floor;
  std::string alpha;
  std::string allow;
  std::string format;
  std::string require_power;
  std::string output;
  bool strict = false;
};

// `arguments` is filled when the command line is parsed, and must stay where it is.
void add_verdict_options(Options& options, VerdictArguments& arguments);

// How a verdict was asked for, checked. Making it throws InputError for a value that is wrong or
// a file that cannot be written: before anything is measured or read.
struct VerdictRequest {
  explicit VerdictRequest(const VerdictArguments& arguments);
  model::ComparisonSettings settings;
  const reporters::Format* format;
  std::string output;  // empty: stdout
};

// Throws Error(io), or std::system_error, where it cannot be written.
void print_verdict(const model::Comparison& comparison, const VerdictRequest& request);

// 0, 10, 11 or 12.
int exit_code_of(const model::Comparison& comparison);

}  // namespace graphbench::cli
