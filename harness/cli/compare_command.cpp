// graphbench compare: what became slower between two results, as an exit code and a face.
#include <unistd.h>

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "graphs/ir/error.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/streams.hpp"
#include "harness/compare/compare.hpp"
#include "harness/compare/read_side.hpp"
#include "harness/compare/settings.hpp"
#include "harness/config/input_error.hpp"
#include "harness/config/suggest.hpp"
#include "reporters/comparison/faces.hpp"
#include "reporters/json/write_file.hpp"

namespace graphbench::cli {
namespace {

using config::InputError;

model::ComparisonSettings settings_of(const CompareArguments& arguments) {
  model::ComparisonSettings settings;
  settings.strict = arguments.strict;
  if (!arguments.margin.empty()) compare::set_margins(arguments.margin, settings);
  if (!arguments.floor.empty()) compare::set_floors(arguments.floor, settings);
  if (!arguments.alpha.empty()) compare::set_alpha(arguments.alpha, settings);
  if (!arguments.allow.empty()) compare::set_allow(arguments.allow, settings);
  return settings;
}

const reporters::Face& face_of(const CompareArguments& arguments) {
  if (arguments.format.empty()) return reporters::faces().front();
  const reporters::Face* face = reporters::find_face(arguments.format);
  if (face != nullptr) return *face;
  std::vector<std::string> names;
  for (const reporters::Face& each : reporters::faces()) names.emplace_back(each.name);
  throw InputError("--format", config::in_quotes(arguments.format) +
                                   " is not a format: " + config::join(names) + " are" +
                                   config::did_you_mean(arguments.format, names));
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

void write(const model::Comparison& comparison, const reporters::Face& face, const std::string& path) {
  if (path.empty()) {
    face.print(std::cout, comparison, {wants_colours(STDOUT_FILENO)});
    std::cout << std::flush;
    if (!std::cout) throw Error(ErrorCode::io, "write to stdout: the comparison could not be written");
    return;
  }
  std::ostringstream text;
  face.print(text, comparison, {false});
  reporters::write_file_atomically(path, text.view());
}

int exit_code_of(const model::Comparison& comparison) {
  if (!comparison.comparable) return exit_not_comparable;
  if (comparison.counts.slower > 0 || comparison.counts.coverage_regressions > 0) return exit_slower;
  return passed(comparison) ? exit_done : exit_inconclusive;
}

}  // namespace

int compare_command(const Arguments& arguments) {
  const CompareArguments& asked = arguments.compare;
  const model::ComparisonSettings settings = settings_of(asked);
  const reporters::Face& face = face_of(asked);
  check_output(asked.output);
  const compare::Sides sides = compare::read_sides(asked.base, asked.now);
  const model::Comparison comparison = compare::compare(sides.base, sides.now, settings);
  write(comparison, face, asked.output);
  return exit_code_of(comparison);
}

}  // namespace graphbench::cli
