// The interface of a command, and the roles of the child processes in which graphbench runs its own binary.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/model/exit_codes.hpp"
#include "harness/options/command_options.hpp"

namespace graphbench::options {

struct Invocation {
  std::vector<std::string> argv;             // for documents: without the binary's folder
  std::vector<std::string> benchmark_flags;  // "--benchmark_NAME=VALUE", for Google Benchmark
  bool served = false;                       // the sweep reports to the service on file descriptor 3
  std::vector<std::string> concurrent;       // devices that are measured at the same time; empty: only one is
};

// The parser of the command line writes option values into the members of this object.
class Command {
 public:
  Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;
  // Checks the parsed options before run(). Throws InputError.
  virtual void check() {}
  virtual int run(const Invocation& invocation) = 0;
};

// Returns the exit code of `work`. If `work` throws, prints one line on stderr and returns that error's code.
int guarded(const std::function<int()>& work);

// The first argument of a child process. Users never give this argument.
inline constexpr const char* worker_role = "--worker";
inline constexpr const char* probe_role = "--probe";
inline constexpr const char* floor_role = "--floor-process";
inline constexpr const char* ladder_role = "--ladder-process";
inline constexpr const char* bill_role = "--bill-process";
inline constexpr const char* doctor_role = "--doctor";  // only for Python's process (--torch)
inline constexpr const char* served_role = "--served-sweep";

}  // namespace graphbench::options
