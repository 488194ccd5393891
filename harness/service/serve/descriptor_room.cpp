// RLIMIT_NOFILE. Containers often start with a soft limit of 1,024 and a hard one far above.
#include "harness/service/serve/descriptor_room.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "graphs/ir/error.hpp"

namespace graphbench::serve {
namespace {

// Standard streams, the listening socket, database, lock, a sweep's pipes and what a library opens.
constexpr rlim_t descriptors_beside = 64;

[[noreturn]] void fail(const std::string& why) {
  throw Error(ErrorCode::io, "make room for file descriptors: " + why);
}

}  // namespace

std::size_t make_descriptor_room(std::size_t connections) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) fail(std::strerror(errno));
  const rlim_t needed = connections + descriptors_beside;
  if (limit.rlim_cur < needed) {
    limit.rlim_cur = std::min(needed, limit.rlim_max);
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) fail(std::strerror(errno));
  }
  if (limit.rlim_cur <= descriptors_beside) {
    fail("this process may have " + std::to_string(limit.rlim_cur) + ", and needs more than " +
         std::to_string(descriptors_beside) + ": raise its hard limit (ulimit -Hn)");
  }
  return std::min<std::size_t>(connections, limit.rlim_cur - descriptors_beside);
}

}  // namespace graphbench::serve
