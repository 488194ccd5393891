// libgraphbench_step.so: runs the worker, the probe, the bill and the ladder in a process that provides the
// step itself, such as a Python interpreter. The library has no command line.
#include <string_view>

#include "graphs/base/text.hpp"
#include "harness/bill/bill_process.hpp"
#include "harness/ladder/ladder_process.hpp"
#include "harness/measure/worker/worker.hpp"
#include "harness/options/command.hpp"
#include "harness/sweep/probe.hpp"

// Runs the child process `role` to its end, and returns its exit code. `parent` is graphbench's process id.
// `plugin` contains the step, and must live until the process ends. `origin` names the plugin in messages.
extern "C" GB_EXPORT int graphbench_child(const char* role, const char* parent, const gb_plugin* plugin,
                                          const char* origin) {
  using namespace graphbench;
  const abi::LentPlugin lent{plugin, origin};
  if (role == std::string_view(options::worker_role)) return measure::worker_main(parent, &lent);
  if (role == std::string_view(options::probe_role)) return sweep::probe_main(parent, &lent);
  if (role == std::string_view(options::bill_role)) return bill::bill_main(parent, &lent);
  if (role == std::string_view(options::ladder_role)) return ladder::ladder_main(parent, &lent);
  complain("%s is not a process that runs a step", role);
  return 1;
}
