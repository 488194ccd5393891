// The flow of the commands that measure. Each command is a Job in it.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graphs/base/process/process_supervisor.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/options/options.hpp"
#include "harness/options/output.hpp"
#include "harness/sweep/identity.hpp"
#include "harness/sweep/journal.hpp"
#include "harness/sweep/planning.hpp"
#include "harness/sweep/report/progress.hpp"
#include "reporters/report.hpp"

namespace graphbench::sweep {

// A file for results. The driver checks it before anything starts, and writes it when all is measured.
struct Output {
  std::string where;                                // the option, with which messages begin: "--json"
  std::string path;                                 // empty: the user wants no such file
  std::function<std::string()> text = {};           // null: the Job itself writes the file, as it measures
  options::Stdout dash = options::Stdout::refused;  // whether the path may be "-"
};

// What an interrupted run of the same command has finished.
struct Earlier {
  std::vector<FinishedTask> finished = {};
  model::MeasuredOn here{};  // the machine and device of this run
  std::string place = {};    // option and journal, with which messages about what is finished begin
};

// What a run must have in common with an earlier one, to continue it.
struct Resumable {
  RunIdentity identity;
  std::string device_uuid;
  bool start_over = false;  // true: replaces the journal of another identity; false: refuses it
};
// `more`: what decides about what is measured, besides the plan.
Resumable resumable_of(const CheckedPlan& checked, const options::SweepOptions& options,
                       const std::string& more = "");

// What is left to run.
struct Outlook {
  std::string what;             // "324 cells, 36 processes"
  double seconds = 0;           // an estimate; 0: there is none
  std::string taken_over = {};  // what is finished, of Earlier: "3 of 5 tasks"
  bool checked = true;          // false: no process has opened the device, which may still be refused
};

// What a Job measures with.
struct Run {
  process::ProcessSupervisor& supervisor;
  ProgressPrinter& progress;
  const Earlier& earlier;
  std::function<void(const FinishedTask&)> keep;  // puts a task into the journal; null if there is none
};

// What the driver prints at the end.
struct Findings {
  std::optional<reporters::Report> report = {};  // absent: nothing is printed
  const reporters::Format* format = nullptr;     // null: the table
  std::function<std::string()> document = {};    // what the format `json` prints
  std::vector<std::string> complaints = {};      // lines for stderr
  int exit_code = model::exit_done;
  std::exception_ptr failure = {};  // what is thrown when all is delivered
};

// drive() calls the members in this order. All may throw InputError, Error and process::Interrupted.
class Job {
 public:
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  virtual ~Job() = default;

  virtual std::string name() const = 0;  // "sweep"
  // Checks values and reads files. Starts no process.
  virtual void check() = 0;
  // Asked before planning, and again when all is measured.
  virtual std::vector<Output> outputs() = 0;
  // Finds out what to run, by asking the probe. Returns an exit code if that was all.
  virtual std::optional<int> plan(process::ProcessSupervisor& supervisor) = 0;
  virtual Outlook outlook(const Earlier& earlier) const = 0;
  // Absent for a Job whose repeated command does not continue an interrupted one.
  virtual std::optional<Resumable> resumable() const { return std::nullopt; }
  // Opens what measurements go to while they are made, besides the outputs.
  virtual void open() {}
  // Runs the tasks. Returns false if the user interrupts and measurements are kept; throws
  // process::Interrupted if there are none.
  virtual bool measure(Run& run) = 0;
  // Completes the results before they are written.
  virtual void summarise() {}
  // `written`: all outputs are.
  virtual Findings findings(bool written) = 0;
  // Hands the results to other programs. Complains and returns false if that fails.
  virtual bool publish(process::ProcessSupervisor&) { return true; }
  // The files that hold what an interrupted run measured; empty: the outputs that the user named.
  virtual std::string kept_in() const { return ""; }
};

// Returns the command's exit code.
int drive(Job& job, const options::SweepOptions& options);

}  // namespace graphbench::sweep
