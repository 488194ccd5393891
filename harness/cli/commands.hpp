// The tables of commands and child processes, and main()'s entry point. Each command has its own file and a
// row in commands.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/options/command.hpp"

namespace graphbench::cli {

enum class CommandGroup : std::uint8_t { measure, compare, operate };

struct CommandRow {
  CommandGroup group;
  std::string_view name;  // a name with "--" is a flag, whose options stand without a command
  std::string_view help;
  std::string_view usage;
  std::unique_ptr<options::Command> (*make)(options::Options& options);
  std::vector<options::Example> examples;
  bool takes_benchmark_flags = false;
};
// The rows are in the order of the help.
const std::vector<CommandRow>& commands();

std::string brief_help(const std::vector<CommandRow>& rows);
std::optional<std::string> topic_help(const std::string& topic);
std::string topics();
std::string_view exit_codes_text();
// The commands, options and metrics whose names or help have the word; absent if none has.
std::optional<std::string> found_in_help(const std::string& word, const options::CommandShape& program);

// What `graphbench completion` prints, by its name: a shell's completions, or the manual page.
struct CompletionRow {
  std::string name;
  std::string (*text)(const options::CommandShape& program);
};
const std::vector<CompletionRow>& completions();
std::string bash_completion(const options::CommandShape& program);
std::string zsh_completion(const options::CommandShape& program);
std::string fish_completion(const options::CommandShape& program);
std::string manual_page(const options::CommandShape& program);

// The child processes: graphbench starts its own binary. `parent` is the id of the starting process.
struct ChildRow {
  std::string_view role;  // the first argument
  int (*run)(std::string_view parent);
};
const std::vector<ChildRow>& children();

// Runs the command or child process that `argv` names. Turns an exception into an exit code and a message.
int run(int argc, const char* const* argv);

// Runs a sweep for the service, whose process id is `parent`. Reads a service::ServedSweep from stdin.
int run_served(std::string_view parent);

class CommandLine {
 public:
  explicit CommandLine(const std::vector<CommandRow>& rows = commands());
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  struct Request {
    std::string_view name;                // CommandRow::name; if empty, only `text` is printed
    options::Command* command = nullptr;  // owned by the command line
    options::Invocation invocation;
    std::string text;
  };
  // Call once. Throws InputError for an invalid command line.
  Request parse(int argc, const char* const* argv);
  // Everything that the command line takes.
  options::CommandShape shape() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace graphbench::cli
