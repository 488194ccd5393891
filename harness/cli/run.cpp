// Runs a command, or a child process that graphbench started itself as.
#include <cstdio>

#include "graphs/base/error.hpp"
#include "graphs/base/process/child_io.hpp"
#include "harness/cli/command_line.hpp"
#include "harness/cli/commands.hpp"
#include "harness/options/output.hpp"
#include "harness/service/serve/sweep_events.hpp"

namespace graphbench::cli {

int run(int argc, const char* const* argv) {
  for (const ChildRow& child : children()) {
    if (argc > 1 && child.role == argv[1]) return child.run(argc > 2 ? argv[2] : "");
  }
  prepare_streams();
  return guarded([=] {
    CommandLine line;
    const CommandLine::Request request = line.parse(argc, argv);
    if (request.command != nullptr) return request.command->run(request.invocation);
    std::fputs(request.text.c_str(), stdout);
    return exit_done;
  });
}

int run_served(std::string_view parent) {
  return guarded([&] {
    if (!process::die_with_parent(parent)) throw Error(ErrorCode::io, "start a sweep: the service is gone");
    process::claim_event_descriptor();
    prepare_streams();
    const serve::ServedSweep served = serve::decode_served_sweep(process::read_request());
    std::vector<const char*> argv = {"graphbench", "--sweep"};
    for (const std::string& option : served.run) argv.push_back(option.c_str());
    CommandLine line;
    CommandLine::Request request = line.parse(static_cast<int>(argv.size()), argv.data());
    request.invocation.served = true;
    request.invocation.argv = {"graphbench", "--sweep"};
    request.invocation.argv.insert(request.invocation.argv.end(), served.asked.begin(), served.asked.end());
    return request.command->run(request.invocation);
  });
}

}  // namespace graphbench::cli
