// What a command is, the tables of commands and child processes, and main's arguments to an exit code. A
// command is a file of its own, which nothing else includes, and a row in commands.cpp.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/exit_codes.hpp"
#include "harness/options/command_options.hpp"

namespace graphbench::cli {

// What a command may want to know beside its own options.
struct Invocation {
  std::vector<std::string> argv;             // as documents keep it: without the folder of the binary
  std::vector<std::string> benchmark_flags;  // "--benchmark_NAME=VALUE", which are Google Benchmark's
  bool served = false;                       // a sweep that reports to the service on descriptor 3
  std::vector<std::string> concurrent;       // devices that this sweep is one of
};

// Made with the command line, which fills it; its options refer to its members.
class Command {
 public:
  Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;
  // Of what was parsed, before anything is run. Throws InputError.
  virtual void check() {}
  // Returns the exit code, or throws.
  virtual int run(const Invocation& invocation) = 0;
};

struct CommandRow {
  std::string_view name;  // a leading "--": a flag of graphbench itself, whose other options are then its own
  std::string_view help;
  std::string_view usage;
  std::unique_ptr<Command> (*make)(Options& options);
  bool takes_benchmark_flags = false;
};
// In the order of the help.
const std::vector<CommandRow>& commands();

// What graphbench starts itself as; users never do. `argv`: what follows the parent's process id.
struct ChildArguments {
  std::string_view parent;
  std::vector<std::string> argv;
};
struct ChildRow {
  std::string_view role;  // the first argument
  int (*run)(const ChildArguments& arguments);
};
inline constexpr const char* worker_role = "--worker";
inline constexpr const char* probe_role = "--probe";
inline constexpr const char* floor_role = "--floor-process";
inline constexpr const char* ladder_role = "--ladder-process";
inline constexpr const char* served_role = "--served-sweep";
const std::vector<ChildRow>& children();

// Runs what `argv` asks for: a command, or a child process that graphbench started itself as. Every exception
// becomes one line on stderr and its exit code.
int run(int argc, const char* const* argv);

// What `work` returns; where it throws, a line on stderr and the exit code that says why.
int guarded(const std::function<int()>& work);

// A sweep that the service, process `arguments.parent`, started. Its argv is a command line of its own.
int run_served(const ChildArguments& arguments);

}  // namespace graphbench::cli
