// Takes turns by two file locks. A service locks `next` before `running`, so that two services with full
// queues alternate.
#include "harness/service/serve/machine_turn.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "graphs/base/error.hpp"

namespace graphbench::service {
namespace {

// Refuses a symlink or another user's file, because all users can write to a folder like /tmp.
Descriptor open_lock(const std::string& folder, const std::string& what) {
  const std::string path = folder + "/graphbench-" + std::to_string(geteuid()) + "." + what;
  Descriptor lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.get() < 0) throw Error(ErrorCode::io, "open '" + path + "': " + std::strerror(errno));
  struct stat status {};
  if (fstat(lock.get(), &status) != 0 || status.st_uid != geteuid()) {
    throw Error(ErrorCode::io, "open '" + path + "': the file belongs to another user: remove the file");
  }
  return lock;
}

bool lock_now(const Descriptor& lock) {
  if (flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return true;
  if (errno == EWOULDBLOCK || errno == EINTR) return false;
  throw Error(ErrorCode::io, std::string("lock this machine for a sweep: ") + std::strerror(errno));
}

}  // namespace

std::string turn_folder() {
  const std::array<const char*, 3> folders = {std::getenv("XDG_RUNTIME_DIR"), "/run/lock",
                                              std::getenv("TMPDIR")};
  for (const char* const folder : folders) {
    if (folder != nullptr && folder[0] == '/' && access(folder, W_OK | X_OK) == 0) return folder;
  }
  return "/tmp";
}

MachineTurn::MachineTurn(const std::string& folder) {
  if (folder.empty()) return;
  next_ = open_lock(folder, "next");
  running_ = open_lock(folder, "running");
}

bool MachineTurn::try_take() {
  if (running_.get() < 0 || is_running_) return true;
  is_next_ = is_next_ || lock_now(next_);
  is_running_ = is_next_ && lock_now(running_);
  if (is_running_) {
    flock(next_.get(), LOCK_UN);
    is_next_ = false;
  }
  return is_running_;
}

void MachineTurn::give_back() {
  if (is_next_) flock(next_.get(), LOCK_UN);
  if (is_running_) flock(running_.get(), LOCK_UN);
  is_next_ = is_running_ = false;
}

}  // namespace graphbench::service
