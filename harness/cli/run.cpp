// Runs a command, or a child process that graphbench started itself as.
#include <algorithm>
#include <cstdio>

#include "graphs/base/error.hpp"
#include "graphs/base/process/child_io.hpp"
#include "harness/cli/command_line.hpp"
#include "harness/cli/commands.hpp"
#include "harness/options/output.hpp"

namespace graphbench::cli {
namespace {

// What the service adds is not what the client asked for: documents of equal requests are equal, and none
// says where the service keeps its files.
void drop_what_the_service_added(std::vector<std::string>& argv) {
  std::erase_if(argv, [](const std::string& argument) {
    return argument == "--quiet" || argument.starts_with("--json=");
  });
  constexpr std::string_view plugin = "--plugin=";
  for (std::string& argument : argv) {
    if (!argument.starts_with(plugin)) continue;
    argument.replace(0, argument.rfind('/') + 1, plugin);  // the paths that the service gives are absolute
  }
}

}  // namespace

int run(int argc, const char* const* argv) {
  for (const ChildRow& child : children()) {
    if (argc > 1 && child.role == argv[1])
      return child.run({argc > 2 ? argv[2] : "", {argv + std::min(argc, 3), argv + argc}});
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

int run_served(const ChildArguments& arguments) {
  return guarded([&] {
    if (!process::die_with_parent(arguments.parent))
      throw Error(ErrorCode::io, "start a sweep: the service is gone");
    process::claim_event_descriptor();
    prepare_streams();
    std::vector<const char*> own = {"graphbench"};  // argv[0] is a link of /proc
    for (const std::string& argument : arguments.argv) own.push_back(argument.c_str());
    CommandLine line;
    CommandLine::Request request = line.parse(static_cast<int>(own.size()), own.data());
    request.invocation.served = true;
    drop_what_the_service_added(request.invocation.argv);
    return request.command->run(request.invocation);
  });
}

}  // namespace graphbench::cli
