// Reads, writes and locks the cache's files by POSIX calls, since the C++ standard library has no file locks.
#include "graphs/device/cache/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "graphs/base/files.hpp"

namespace graphbench::cache {
namespace {

constexpr std::size_t bytes_max = std::size_t{1} << 40;  // no entry is larger

std::filesystem::path with(const std::filesystem::path& path, const char* ending) {
  return path.string() + ending;
}

}  // namespace

FileText read_file(const std::filesystem::path& path) {
  WholeFile file = read_whole_file(path, bytes_max);
  if (file.why_not.empty()) return {std::move(file.text), {}};
  if (file.error == ENOENT || file.error == ENOTDIR) return {};
  return {{}, file.error == 0 ? "the path is not a regular file" : std::strerror(file.error)};
}

std::string write_file(const std::filesystem::path& path, const std::string& text) {
  try {
    write_file_atomically(path, text, draft_of(path));
    return {};
  } catch (const std::system_error& error) {
    return error.code().message();
  }
}

std::filesystem::path draft_of(const std::filesystem::path& path) {
  return with(path, ".draft");
}

std::filesystem::path lock_of(const std::filesystem::path& path) {
  return with(path, ".lock");
}

// The holder removes the lock file before it releases the lock, so that no lock files are left. A process
// that waited then has the lock of a removed file, so it opens the path again.
FileLock::FileLock(const std::filesystem::path& path, Wait wait) : path_(lock_of(path)) {
  for (;;) {
    file_ = Descriptor(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!held()) break;
    int locked = -1;
    do {
      locked = flock(file_.get(), LOCK_EX | (wait == Wait::yes ? 0 : LOCK_NB));
    } while (locked != 0 && errno == EINTR);
    if (locked != 0) break;
    struct stat ours {};
    struct stat named {};
    if (fstat(file_.get(), &ours) == 0 && stat(path_.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
        ours.st_dev == named.st_dev) {
      return;
    }
  }
  error_ = errno;
  file_ = Descriptor();
}

FileLock::~FileLock() {
  if (held()) unlink(path_.c_str());
}

}  // namespace graphbench::cache
