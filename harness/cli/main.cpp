// graphbench: a command line, and the kinds of child process it starts itself as.
#include <string_view>

#include "harness/cli/commands.hpp"
#include "harness/cli/streams.hpp"
#include "harness/floor/floor_process.hpp"
#include "harness/sweep/probe_main.hpp"
#include "harness/worker/worker_main.hpp"

int main(int argc, char** argv) {
  const std::string_view role = argc > 1 ? argv[1] : "";
  const std::string_view parent = argc > 2 ? argv[2] : "";
  if (role == "--worker") return graphbench::worker::worker_main(parent);
  if (role == "--floor-process") return graphbench::floors::floor_main(parent);
  if (role == "--served-sweep") return graphbench::cli::run_served(parent, argc, argv);
  if (role == "--probe") return graphbench::sweep::probe_main(parent);
  graphbench::cli::prepare_streams();
  return graphbench::cli::run(argc, argv);
}
