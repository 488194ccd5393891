// Prints a Report in the format that --format names.
#include "harness/sweep/report/print_report.hpp"

#include <unistd.h>

#include <iostream>

#include "harness/options/output.hpp"

namespace graphbench::sweep {

void ReportFormat::add_to(options::Options& options) {
  options.text("--format", name_, "FORMAT", reporters::format_help() + " (default: table)");
}

void ReportFormat::print(const reporters::Report& report, const std::function<std::string()>& document,
                         bool stdout_taken) const {
  std::ostream& out = stdout_taken ? std::cerr : std::cout;
  if (is_json()) {
    out << document();
  } else {
    format_->print(out, report, console_of(stdout_taken ? STDERR_FILENO : STDOUT_FILENO));
  }
  out.flush();
}

reporters::PrintOptions console_of(int descriptor) {
  return {options::wants_colours(descriptor), options::width_of(descriptor, reporters::PrintOptions().width)};
}

}  // namespace graphbench::sweep
