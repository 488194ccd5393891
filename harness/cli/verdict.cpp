// Options to settings, settings to a face on stdout or in a file.
#include "harness/cli/verdict.hpp"

#include <unistd.h>

#include <iostream>
#include <sstream>
#include <vector>

#include "graphs/ir/error.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/streams.hpp"
#include "harness/config/suggest.hpp"
#include "harness/model/input_error.hpp"
#include "harness/verdict/compare/settings.hpp"
#include "reporters/json/write_file.hpp"

namespace graphbench::cli {
namespace {

model::ComparisonSettings settings_of(const VerdictArguments& arguments) {
  model::ComparisonSettings settings;
  settings.strict = arguments.strict;
  if (!arguments.margin.empty()) compare::set_margins(arguments.margin, settings);
  if (!arguments.floor.empty()) compare::set_floors(arguments.floor, settings);
  if (!arguments.alpha.empty()) compare::set_alpha(arguments.alpha, settings);
  if (!arguments.allow.empty()) compare::set_allow(arguments.allow, settings);
  return settings;
}

const reporters::Face& face_of(const VerdictArguments& arguments) {
  if (arguments.format.empty()) return reporters::faces().front();
  const reporters::Face* face = reporters::find_face(arguments.format);
  if (face != nullptr) return *face;
  std::vector<std::string> names;
  for (const reporters::Face& each : reporters::faces()) names.emplace_back(each.name);
  throw InputError("--format", in_quotes(arguments.format) + " is not a format: " + config::join(names) +
                                   " are" + config::did_you_mean(arguments.format, names));
}

// Before anything is read: a comparison that cannot be written is not worth waiting for.
void check_output(const std::string& path) {
  if (path.empty()) return;
  try {
    reporters::check_writable(path);
  } catch (const std::exception& error) {
    throw InputError("-o",
                     std::string(error.what()) + ": give a file in a folder that exists and can be written");
  }
}

}  // namespace

VerdictRequest::VerdictRequest(const VerdictArguments& arguments)
    : settings(settings_of(arguments)),
      face(&face_of(arguments)),
      output(arguments.output == "-" ? "" : arguments.output) {
  check_output(output);
}

void print_verdict(const model::Comparison& comparison, const VerdictRequest& request) {
  if (request.output.empty()) {
    request.face->print(std::cout, comparison, {wants_colours(STDOUT_FILENO)});
    std::cout << std::flush;
    if (!std::cout && !reader_is_gone())
      throw Error(ErrorCode::io, "write to stdout: the comparison could not be written");
    return;
  }
  std::ostringstream text;
  request.face->print(text, comparison, {false});
  reporters::write_file_atomically(request.output, text.view());
}

int exit_code_of(const model::Comparison& comparison) {
  if (!comparison.comparable) return exit_not_comparable;
  if (comparison.counts.slower > 0 || comparison.counts.coverage_regressions > 0) return exit_slower;
  return passed(comparison) ? exit_done : exit_inconclusive;
}

}  // namespace graphbench::cli
