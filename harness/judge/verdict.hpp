// The parts that compare and ab share: options of a verdict, its report and its exit code.
#pragma once

#include <string>

#include "harness/judge/report/formats.hpp"
#include "harness/model/comparison.hpp"
#include "harness/options/command_options.hpp"

namespace graphbench::judge {

// The text of the options that decide a verdict or print it; empty if the user did not give the option.
struct VerdictArguments {
  std::string margin;
  std::string floor;
  std::string alpha;
  std::string allow;
  std::string format = "table";
  std::string require_power;
  std::string output;
  bool strict = false;
  bool common = false;
};

// `options` keeps references to `arguments`: parsing the command line fills `arguments` later.
void add_verdict_options(options::Options& options, VerdictArguments& arguments);

// The parsed options. The constructor throws InputError for a wrong value or an unwritable output file.
struct VerdictRequest {
  explicit VerdictRequest(const VerdictArguments& arguments);
  model::ComparisonSettings settings;
  const reporters::Format* format;
  std::string output;  // empty: stdout
};

// The report as a file holds it.
std::string verdict_text(const model::Comparison& comparison, const VerdictRequest& request);

// Throws Error(io) or std::system_error if the report cannot be written.
void print_verdict(const model::Comparison& comparison, const VerdictRequest& request);

// Returns exit_done (0), exit_slower, exit_inconclusive or exit_not_comparable (10 to 12).
int exit_code_of(const model::Comparison& comparison);

}  // namespace graphbench::judge
