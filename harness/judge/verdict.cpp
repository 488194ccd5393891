// Parses the options of a verdict, and writes a comparison's report to stdout or a file.
#include "harness/judge/verdict.hpp"

#include <unistd.h>

#include <iostream>
#include <sstream>
#include <vector>

#include "graphs/base/error.hpp"
#include "graphs/base/files.hpp"
#include "graphs/base/text.hpp"
#include "harness/judge/compare/settings.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/options/output.hpp"

namespace graphbench::judge {
namespace {

model::ComparisonSettings settings_of(const VerdictArguments& arguments) {
  model::ComparisonSettings settings;
  settings.strict = arguments.strict;
  settings.common = arguments.common;
  if (!arguments.margin.empty()) set_margins(arguments.margin, settings);
  if (!arguments.floor.empty()) set_floors(arguments.floor, settings);
  if (!arguments.alpha.empty()) set_alpha(arguments.alpha, settings);
  if (!arguments.require_power.empty()) set_required_power(arguments.require_power, settings);
  if (!arguments.allow.empty()) set_allow(arguments.allow, settings);
  return settings;
}

void print_in_format(std::ostream& out, const model::Comparison& comparison, const reporters::Format& format,
                     const reporters::PrintOptions& options) {
  if (format.print == nullptr) return print_comparison_json(out, comparison);
  format.print(out, report_of(comparison), options);
}

}  // namespace

void add_verdict_options(options::Options& options, VerdictArguments& arguments) {
  options.text("--margin", arguments.margin, "LIST",
               "ignore relative changes up to this size (default: 2%); by metric: latency=2%,submit=5%");
  options.text("--floor", arguments.floor, "LIST",
               "also ignore changes up to this time (default: 200ns); by metric: latency=1us,submit=100ns");
  options.text("--alpha", arguments.alpha, "RATE",
               "accepted share of false alarms among the verdicts slower and faster (default: 0.05)");
  options.text("--allow", arguments.allow, "FIELD,...", "compare although these differ: device, plan, ...");
  options.text("--format", arguments.format, "NAME", reporters::format_help(true));
  options.text("-o,--output", arguments.output, "FILE", "write to FILE; - for stdout (default: -)");
  options.text("--require-power", arguments.require_power, "LIST",
               "exit with 11 unless at least nine comparisons of ten would find a slowdown of this size: of "
               "one cell's latency (5%), or of a metric in all cells alike (submit=10%)");
  options.flag("--strict", arguments.strict,
               "exit with 11 if a metric is inconclusive, and with 10 if a count changed");
}

VerdictRequest::VerdictRequest(const VerdictArguments& arguments)
    : settings(settings_of(arguments)),
      format(&reporters::format_named(arguments.format, true)),
      output(arguments.output == "-" ? "" : arguments.output) {
  // Checks the path before documents are read or cells are measured, so that a wrong path wastes no time.
  if (!output.empty()) options::check_output_file("-o", output, options::Stdout::refused);
}

void print_verdict(const model::Comparison& comparison, const VerdictRequest& request) {
  if (request.output.empty()) {
    print_in_format(std::cout, comparison, *request.format, {options::wants_colours(STDOUT_FILENO)});
    std::cout << std::flush;
    if (!std::cout && !options::reader_is_gone())
      throw Error(ErrorCode::io, "write to stdout: the comparison could not be written");
    return;
  }
  write_file_atomically(request.output, verdict_text(comparison, request));
}

std::string verdict_text(const model::Comparison& comparison, const VerdictRequest& request) {
  std::ostringstream text;
  print_in_format(text, comparison, *request.format, {});
  return text.str();
}

int exit_code_of(const model::Comparison& comparison) {
  switch (outcome_of(comparison)) {
    case model::Outcome::passed:
    case model::Outcome::faster:
      break;
    case model::Outcome::slower:
    case model::Outcome::lost:
    case model::Outcome::changed:
      return model::exit_slower;
    case model::Outcome::blind:
      return model::exit_inconclusive;
    case model::Outcome::not_comparable:
      return model::exit_not_comparable;
  }
  return model::exit_done;
}

}  // namespace graphbench::judge
