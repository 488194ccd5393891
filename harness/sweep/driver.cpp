// Drives a Job: dry runs, outputs, the journal, interruption and exit codes are the same for all commands
// that measure.
#include "harness/sweep/driver.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/measure/machine/environment.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/sweep/report/print_report.hpp"

namespace graphbench::sweep {
namespace {

void check_outputs(const std::vector<Output>& outputs) {
  for (const Output& output : outputs) {
    if (output.path.empty()) continue;
    if (output.path == "-" && output.dash == options::Stdout::refused)
      throw InputError(output.where, "\"-\" is stdout, which is for another output: give a file");
    options::check_output_file(output.where, output.path, output.dash);
    for (const Output& earlier : outputs) {
      if (&earlier == &output) break;
      if (options::same_file(output.path, earlier.path))
        throw InputError(output.where, in_quotes(output.path) + " is also the file of " + earlier.where +
                                           ": give another file");
    }
  }
}

std::string text_of(const Outlook& outlook, const options::SweepOptions& options) {
  if (outlook.seconds <= 0) return outlook.what;
  return outlook.what + ", about " + about(outlook.seconds) +
         (options.torch.given() ? ", and in each process the step's imports and build" : "");
}

// Opens the journal, and takes from it what an earlier run has finished. Returns null for a Job that does not
// resume, and if the document goes to stdout, a device file or a pipe.
std::unique_ptr<Journal> open_journal(const Job& job, const options::SweepOptions& options,
                                      Earlier& earlier) {
  std::optional<Resumable> run = job.resumable();
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(options.json, error);
  if (!run || options.json == "-" || (exists(status) && !is_regular_file(status))) return nullptr;
  const std::string path = journal_of(options.json);
  const std::string where = options.where("json");
  earlier.here = {measure::read_environment().hostname, run->device_uuid};
  earlier.place = where + ": " + in_quotes(path);
  auto journal = std::make_unique<Journal>(
      JournalSettings{path, where, std::move(run->identity), earlier.here, run->start_over});
  if (!journal->said().empty()) complain("warning: %s", journal->said().c_str());
  earlier.finished = journal->finished();
  return journal;
}

// Appends to the journal until that fails once.
std::function<void(const FinishedTask&)> keeping_in(Journal* journal, const Job& job) {
  if (journal == nullptr) return nullptr;
  return [journal, name = job.name(), broken = false](const FinishedTask& task) mutable {
    if (broken) return;
    try {
      journal->append(task);
    } catch (const std::exception& error) {
      broken = true;
      complain("warning: %s: tasks that finish from now on are lost if this %s is killed", error.what(),
               name.c_str());
    }
  };
}

void say_what_comes(const Job& job, const options::SweepOptions& options, const Earlier& earlier) {
  if (options.quiet) return;
  const Outlook outlook = job.outlook(earlier);
  // What is refused is refused in one line.
  if (!outlook.checked) return;
  complain("%s", text_of(outlook, options).c_str());
  if (!earlier.finished.empty())
    complain("the %s continues from %s: %s are finished", job.name().c_str(),
             journal_of(options.json).c_str(), outlook.taken_over.c_str());
}

// Complains about each file that cannot be written, and returns false if there is one.
bool write_outputs(const std::vector<Output>& outputs) {
  bool written = true;
  for (const Output& output : outputs) {
    if (output.path.empty() || !output.text) continue;
    try {
      options::write_document(output.path, output.text(), "");
    } catch (const std::exception& error) {
      complain("%s: %s", output.where.c_str(), error.what());
      written = false;
    }
  }
  return written;
}

// Prints on stderr if a document is on stdout. Complains and returns false if that fails.
bool print(const Findings& found, const std::vector<Output>& outputs) {
  if (!found.report) return true;
  const bool taken = std::ranges::find(outputs, "-", &Output::path) != outputs.end();
  const reporters::Format& format =
      found.format == nullptr ? reporters::format_named("table") : *found.format;
  std::ostringstream text;
  if (format.print == nullptr) {
    text << found.document();
  } else {
    format.print(text, *found.report, console_of(taken ? STDERR_FILENO : STDOUT_FILENO));
  }
  // One call, because the processes of several devices write to the same stream.
  std::ostream& out = taken ? std::cerr : std::cout;
  out << text.str() << std::flush;
  if (out || taken || options::reader_is_gone()) return true;
  complain("write to stdout: the report could not be written");
  return false;
}

int interrupted(const Job& job, bool resumes) {
  const std::string files = job.kept_in();
  complain("interrupted; the measurements are kept%s%s", files.empty() ? "" : " in ", files.c_str());
  if (resumes) complain("repeat the command to continue the %s", job.name().c_str());
  return model::exit_interrupted;
}

}  // namespace

Resumable resumable_of(const CheckedPlan& checked, const options::SweepOptions& options,
                       const std::string& more) {
  const model::DeviceFacts& facts = checked.catalog.facts;
  return {identity_of(checked.plan, facts, options.code_files(), more), facts.uuid};
}

int drive(Job& job, const options::SweepOptions& options) {
  job.check();
  if (!options.dry_run) check_outputs(job.outputs());
  check_cpu(options);
  process::ProcessSupervisor supervisor;
  if (const std::optional<int> done = job.plan(supervisor)) return *done;
  if (options.dry_run) {
    std::puts(text_of(job.outlook({}), options).c_str());
    return model::exit_done;
  }
  Earlier earlier;
  const std::unique_ptr<Journal> journal = open_journal(job, options, earlier);
  job.open();
  say_what_comes(job, options, earlier);
  ProgressPrinter progress(options.quiet);
  Run run{supervisor, progress, earlier, keeping_in(journal.get(), job)};
  const bool complete = job.measure(run);
  progress.finish();
  job.summarise();
  const std::vector<Output> outputs = job.outputs();
  const bool written = write_outputs(outputs);
  // Keeps the journal if a file could not be written, because only the journal then has the results.
  if (journal && complete && written) journal->remove();
  const Findings found = job.findings(written);
  const bool printed = print(found, outputs);
  for (const std::string& complaint : found.complaints) complain("%s", complaint.c_str());
  const bool published = job.publish(supervisor);
  if (!complete) return interrupted(job, journal != nullptr && !options.requested);
  if (found.failure) std::rethrow_exception(found.failure);
  return written && printed && published ? found.exit_code : model::exit_error;
}

}  // namespace graphbench::sweep
