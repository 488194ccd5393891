// The command line: which command was asked for, with its options read and checked.
#pragma once

#include <memory>

#include "harness/cli/commands.hpp"

namespace graphbench::cli {

class CommandLine {
 public:
  explicit CommandLine(const std::vector<CommandRow>& rows = commands());
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  struct Request {
    std::string_view name;       // of the command's row; empty: `text` is all
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
