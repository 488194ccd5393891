// Drives a Job: dry runs, interruption and exit codes are the same for all commands that measure.
#include "harness/sweep/driver.hpp"

#include <cstdio>

#include "graphs/base/error.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/options/output.hpp"
#include "harness/sweep/planning.hpp"

namespace graphbench::cli {

int drive(Job& job, const config::SweepOptions& options) {
  job.check();
  check_cpu(options);
  process::ProcessSupervisor supervisor;
  if (const std::optional<int> done = job.plan(supervisor)) return *done;
  if (options.dry_run) {
    std::puts(job.outlook().c_str());
    return exit_done;
  }
  const bool complete = job.measure(supervisor);
  const int exit_code = job.deliver(supervisor);
  if (complete) return exit_code;
  const std::string files = job.kept_in();
  complain("interrupted; the measurements are kept%s%s", files.empty() ? "" : " in ", files.c_str());
  if (job.resumes()) complain("repeat the command to continue the sweep");
  return exit_interrupted;
}

}  // namespace graphbench::cli
