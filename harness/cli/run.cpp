// Dispatch, and the one place where exceptions become messages and exit codes.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "graphbench_version.hpp"
#include "graphs/ir/error.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/streams.hpp"
#include "harness/model/input_error.hpp"
#include "harness/model/unseen.hpp"
#include "harness/process/child_io.hpp"
#include "harness/process/process_supervisor.hpp"

namespace graphbench::cli {
namespace {

int complain(const std::string& message, int exit_code) {
  // What is not in quotes, such as a path, may hold anything.
  std::string line = message;
  for (char& c : line) c = c == '\n' || c == '\r' ? ' ' : c;
  line = model::with_unseen_escaped(line, model::Controls::escaped);
  std::fprintf(stderr, "graphbench: %s\n", line.c_str());
  return exit_code;
}

int dispatch(const Arguments& arguments) {
  switch (arguments.command) {
    case Command::sweep:
      return sweep_command(arguments);
    case Command::bench:
      return bench_command(arguments);
    case Command::list:
      return list_command(arguments);
    case Command::floor:
      return floor_command(arguments);
    case Command::compare:
      return compare_command(arguments);
    case Command::ab:
      return ab_command(arguments);
    case Command::selfcheck:
      return selfcheck_command(arguments);
    case Command::history:
      return history_command(arguments.history);
    case Command::serve:
      return serve_command(arguments);
    case Command::version:
      std::printf("graphbench %s (%s)\n", GRAPHBENCH_VERSION, GRAPHBENCH_COMMIT);
      return exit_done;
    case Command::help:
      break;
  }
  std::fputs(arguments.text.c_str(), stdout);
  return exit_done;
}

// `parse` and what follows from it.
template <typename Parse>
int run_command(Parse&& parse) {
  try {
    const int exit_code = dispatch(parse());
    // What did not fit the buffer was written, or not, long ago: the stream remembers.
    const bool unwritten = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
    if (unwritten && exit_code == exit_done && !reader_is_gone()) {
      return complain("write to stdout: the output could not be written", exit_error);
    }
    return exit_code;
  } catch (const InputError& error) {
    return complain(error.what(), exit_bad_input);
  } catch (const process::Interrupted&) {
    return complain("interrupted before anything was measured", exit_interrupted);
  } catch (const std::exception& error) {
    return complain(error.what(), exit_error);
  }
}

}  // namespace

int run(int argc, const char* const* argv) {
  return run_command([=] { return parse_arguments(argc, argv); });
}

int run_served(std::string_view parent, int argc, const char* const* argv) {
  return run_command([=] {
    if (!process::die_with_parent(parent)) throw Error(ErrorCode::io, "start a sweep: the service is gone");
    process::claim_event_descriptor();
    prepare_streams();
    std::vector<const char*> own = {"graphbench"};  // argv[0] is a link of /proc
    own.insert(own.end(), argv + std::min(argc, 3), argv + argc);
    Arguments arguments = parse_arguments(static_cast<int>(own.size()), own.data());
    arguments.served = true;
    arguments.kept = process::read_request();
    // What the service adds stands for no wish of whoever asked: documents of equal requests are equal, and
    // none says where the service keeps its files.
    std::erase_if(arguments.argv, [](const std::string& argument) {
      return argument == "--quiet" || argument.starts_with("--json=");
    });
    constexpr std::string_view plugin = "--plugin=";
    for (std::string& argument : arguments.argv) {
      if (!argument.starts_with(plugin)) continue;
      argument.replace(0, argument.rfind('/') + 1, plugin);  // the paths that the service gives are absolute
    }
    return arguments;
  });
}

}  // namespace graphbench::cli
