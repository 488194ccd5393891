// The parts that compare and ab share: options of a verdict, its report and its exit code.
#pragma once

#include <string>

#include "harness/judge/report/formats.hpp"
#include "harness/model/comparison.hpp"
#include "harness/options/command_options.hpp"

namespace graphbench::cli {

// How a verdict is reached and shown, as the user wrote it; empty: not given.
struct VerdictArguments {
  std::string margin;
  std::string floor;
  std::string alpha;
  std::string allow;
  std::string format;
  std::string require_power;
  std::string output;
  bool strict = false;
  bool common = false;
};

// `arguments` is filled when the command line is parsed, and must stay where it is.
void add_verdict_options(Options& options, VerdictArguments& arguments);

// The checked form of these arguments. Making it throws InputError for a wrong value or a file that cannot be
// written, before anything is measured or read.
struct VerdictRequest {
  explicit VerdictRequest(const VerdictArguments& arguments);
  model::ComparisonSettings settings;
  const reporters::Format* format;
  std::string output;  // empty: stdout
};

// Throws Error(io), or std::system_error, if it cannot be written.
void print_verdict(const model::Comparison& comparison, const VerdictRequest& request);

// The exit code: 0, 10, 11 or 12.
int exit_code_of(const model::Comparison& comparison);

}  // namespace graphbench::cli
