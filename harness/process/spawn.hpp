// Starts one child process with its pipes connected. System calls only; waiting is the supervisor's.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace graphbench::process {

// A file descriptor with one owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const noexcept { return value_; }
  int release() noexcept;

 private:
  int value_ = -1;
};

struct SpawnedChild {
  pid_t pid = -1;
  Descriptor events;  // read end of its descriptor 3
  Descriptor output;  // read end of its stdout and stderr
};

// In a process group of its own, default signal handling, `input` on its stdin. `environment` holds
// "NAME=VALUE" beside and over this process's own, of which Google Benchmark's BENCHMARK_* are left out.
// Throws Error(io).
SpawnedChild spawn(const std::vector<std::string>& argv, const std::string& input,
                   const std::vector<std::string>& environment);

}  // namespace graphbench::process
