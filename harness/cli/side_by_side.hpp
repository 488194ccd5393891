// What ab and selfcheck share: the options of the sweep whose launches they measure in turns, and its plan.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/options.hpp"
#include "harness/process/process_supervisor.hpp"
#include "harness/verdict/ab/run_interleaved.hpp"

namespace graphbench::cli {

class SideBySideOptions {
 public:
  // `command`: as messages name it. `advice` ends what is said of an option that it does not take. `own`:
  // options of a sweep's name that the command adds itself, with a meaning of its own.
  SideBySideOptions(Options& options, std::string command, std::string advice = "",
                    const std::vector<std::string>& own = {});
  // Throws InputError.
  void check();
  // All but the sides and the plan. Throws InputError for invalid options.
  ab::InterleavedRequest request() const;
  // Throws as make_checked_plan does.
  model::Plan plan(const ab::InterleavedRequest& request, const std::vector<std::string>& argv,
                   process::ProcessSupervisor& supervisor) const;

 private:
  const Options& options_;
  std::string command_;
  std::string advice_;
  std::string alternate_ = "ladder";
  bool cell_processes_ = false;
  config::RawOptions sweep_;  // flags merged over the file; launches always there
};

}  // namespace graphbench::cli
