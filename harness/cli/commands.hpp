// The tables of commands and child processes, and main's arguments to an exit code. A command is a file of
// its own, which nothing else includes, and a row in commands.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/options/command.hpp"

namespace graphbench::cli {

// The purpose of a command.
enum class CommandGroup : std::uint8_t { measure, compare, operate };

struct CommandRow {
  CommandGroup group;
  std::string_view name;  // a leading "--": a flag of graphbench itself, whose other options are then its own
  std::string_view help;
  std::string_view usage;
  std::unique_ptr<Command> (*make)(Options& options);
  std::vector<Example> examples;
  bool takes_benchmark_flags = false;
};
// In the order of the help.
const std::vector<CommandRow>& commands();

// A screenful of help for a new user, made from the tables of commands and options.
std::string brief_help(const std::vector<CommandRow>& rows);
// All options of a topic; absent if no topic has the name.
std::optional<std::string> topic_help(const std::string& topic);
// The topics that topic_help() takes: "plan, steps, ...".
std::string topics();

// The names under which graphbench starts itself; users never do. `parent` is its process id.
struct ChildRow {
  std::string_view role;  // the first argument
  int (*run)(std::string_view parent);
};
const std::vector<ChildRow>& children();

// Runs the command that `argv` names, or the child process as which graphbench started itself. Every
// exception becomes one line on stderr and its exit code.
int run(int argc, const char* const* argv);

// A sweep that the service, process `parent`, started: reads a serve::ServedSweep from stdin.
int run_served(std::string_view parent);

class CommandLine {
 public:
  explicit CommandLine(const std::vector<CommandRow>& rows = commands());
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  struct Request {
    std::string_view name;       // the name of the command's row; if empty, `text` is the whole output
    Command* command = nullptr;  // lives as long as the command line
    Invocation invocation;
    std::string text;  // help or version, for stdout
  };
  // Throws InputError for anything that is not a command line of graphbench. Once.
  Request parse(int argc, const char* const* argv);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace graphbench::cli
