// The flow of the commands that measure. Each command is a Job in it.
#pragma once

#include <optional>
#include <string>

#include "graphs/base/process/process_supervisor.hpp"
#include "harness/options/options.hpp"

namespace graphbench::cli {

// drive() calls the members in this order. All may throw InputError, Error and process::Interrupted.
class Job {
 public:
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  virtual ~Job() = default;

  // Checks values and files. Starts no process.
  virtual void check() = 0;
  // Finds out what to run, by asking the probe. Returns an exit code if that was all.
  virtual std::optional<int> plan(process::ProcessSupervisor& supervisor) = 0;
  // What will run, in one line for --dry-run.
  virtual std::string outlook() const = 0;
  // Measures, after opening what the measurements go to. Returns false if the user interrupts and
  // measurements are kept; throws process::Interrupted if there are none.
  virtual bool measure(process::ProcessSupervisor& supervisor) = 0;
  // Writes and prints. Returns the exit code of a run that was not interrupted.
  virtual int deliver(process::ProcessSupervisor& supervisor) = 0;
  // The files that hold what an interrupted run measured; empty: the outputs that the user named.
  virtual std::string kept_in() const { return ""; }
  // Whether a repeated command continues an interrupted one.
  virtual bool resumes() const { return false; }
};

// Returns the command's exit code.
int drive(Job& job, const config::SweepOptions& options);

}  // namespace graphbench::cli
