// Runs a command, or a child process that graphbench started itself as.
#include <cstdio>

#include "harness/cli/command_line.hpp"
#include "harness/cli/commands.hpp"
#include "harness/options/output.hpp"
#include "harness/service/publish/publishing.hpp"

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
    const serve::ServedSweep served = begin_served(parent);
    prepare_streams();
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
