// POSIX calls: the standard library neither syncs nor locks.
#include "graphs/device/cache/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

namespace graphbench::cache {
namespace {

constexpr mode_t file_mode = 0666;  // less what umask takes

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags)
      : value_(open(path.c_str(), flags | O_CLOEXEC, file_mode)) {}
  ~Descriptor() { static_cast<void>(close()); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int operator*() const { return value_; }
  bool close() { return value_ < 0 || ::close(std::exchange(value_, -1)) == 0; }

 private:
  int value_;
};

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool write_draft(const std::filesystem::path& draft, const std::string& text) {
  Descriptor file(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  return *file >= 0 && write_all(*file, text) && fsync(*file) == 0 && file.close();
}

std::filesystem::path with(const std::filesystem::path& path, const char* ending) {
  return path.string() + ending;
}

}  // namespace

FileText read_file(const std::filesystem::path& path) {
  const Descriptor file(path, O_RDONLY);
  struct stat facts {};
  if (*file < 0 && (errno == ENOENT || errno == ENOTDIR)) return {};
  if (*file < 0 || fstat(*file, &facts) != 0) return {{}, std::strerror(errno)};
  if (!S_ISREG(facts.st_mode)) return {{}, "it is no file"};
  std::string text(static_cast<std::size_t>(facts.st_size), '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = read(*file, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {{}, std::strerror(errno)};
    if (got == 0) break;  // it was cut short meanwhile
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return {std::move(text), {}};
}

std::string write_file(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path draft = draft_of(path);
  if (!write_draft(draft, text) || std::rename(draft.c_str(), path.c_str()) != 0) {
    std::string why = std::strerror(errno);
    unlink(draft.c_str());
    return why;
  }
  const Descriptor folder(path.parent_path(), O_RDONLY | O_DIRECTORY);
  if (*folder >= 0) static_cast<void>(fsync(*folder));  // some filesystems have none for folders
  return {};
}

std::filesystem::path draft_of(const std::filesystem::path& path) {
  return with(path, ".draft");
}

std::filesystem::path lock_of(const std::filesystem::path& path) {
  return with(path, ".lock");
}

// The holder removes the file before it releases it, so that no locks are left. Who waited for it then has
// the lock of a file that has no name any more, and begins again.
FileLock::FileLock(const std::filesystem::path& path, Wait wait) : path_(lock_of(path)) {
  for (;;) {
    descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, file_mode);
    if (descriptor_ < 0) break;
    int locked = -1;
    do {
      locked = flock(descriptor_, LOCK_EX | (wait == Wait::yes ? 0 : LOCK_NB));
    } while (locked != 0 && errno == EINTR);
    if (locked != 0) break;
    struct stat ours {};
    struct stat named {};
    if (fstat(descriptor_, &ours) == 0 && stat(path_.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
        ours.st_dev == named.st_dev) {
      return;
    }
    close(descriptor_);
  }
  error_ = errno;
  if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
}

FileLock::~FileLock() {
  if (!held()) return;
  unlink(path_.c_str());
  close(descriptor_);
}

}  // namespace graphbench::cache
