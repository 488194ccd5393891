// What every command that prints a document shares: the option --format, and the printing.
#pragma once

#include <functional>
#include <string>

#include "harness/options/command_options.hpp"
#include "reporters/report.hpp"

namespace graphbench::sweep {

class ReportFormat {
 public:
  ReportFormat() = default;
  explicit ReportFormat(options::Options& options) { add_to(options); }
  // Registers --format.
  void add_to(options::Options& options);

  // Throws InputError for an unknown format.
  void check() { format_ = &reporters::format_named(name_); }

  const reporters::Format* format() const { return format_; }
  bool is_json() const { return format_->print == nullptr; }
  bool is_table() const { return name_ == "table"; }

  // Prints to stdout, or to stderr if a document is on stdout. `document` returns what `json` prints.
  void print(const reporters::Report& report, const std::function<std::string()>& document,
             bool stdout_taken = false) const;

 private:
  std::string name_ = "table";
  const reporters::Format* format_ = nullptr;
};

// The options of a console: colours and width.
reporters::PrintOptions console_of(int descriptor);

}  // namespace graphbench::sweep
