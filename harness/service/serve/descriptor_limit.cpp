// RLIMIT_NOFILE: each connection takes a descriptor, and containers often start with a soft limit of 1,024
// and a hard one far above.
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "graphs/ir/error.hpp"
#include "harness/service/serve/service.hpp"

namespace graphbench::serve {
namespace {

// Standard streams, the listening socket, database, lock, a sweep's pipes and what a library opens.
constexpr rlim_t other_descriptors = 64;

[[noreturn]] void fail(const std::string& why) {
  throw Error(ErrorCode::io, "raise the limit of file descriptors: " + why);
}

}  // namespace

std::size_t raise_descriptor_limit(std::size_t connections) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) fail(std::strerror(errno));
  const rlim_t needed = connections + other_descriptors;
  if (limit.rlim_cur < needed) {
    limit.rlim_cur = std::min(needed, limit.rlim_max);
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) fail(std::strerror(errno));
  }
  if (limit.rlim_cur <= other_descriptors) {
    fail("this process may have " + std::to_string(limit.rlim_cur) + ", and needs more than " +
         std::to_string(other_descriptors) + ": raise its hard limit (ulimit -Hn)");
  }
  return std::min<std::size_t>(connections, limit.rlim_cur - other_descriptors);
}

}  // namespace graphbench::serve
