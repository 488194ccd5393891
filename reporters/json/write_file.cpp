// A temporary file beside the target, fsync, rename, fsync of the folder: what survives a full disk, a
// kill and a power cut.
#include "reporters/json/write_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

namespace graphbench::reporters {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(int error, const fs::path& path, const std::string& step) {
  throw std::system_error(error, std::generic_category(), "write '" + path.string() + "': " + step);
}

// A file descriptor with one owner.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const noexcept { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// Removes the temporary file unless it was renamed into place.
class TemporaryFile {
 public:
  // `target` names the file in errors.
  TemporaryFile(fs::path target, fs::path path)
      : target_(std::move(target)),
        path_(std::move(path)),
        descriptor_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) {
    if (descriptor_.get() < 0) fail(errno, target_, "create a file in that folder");
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!renamed_) ::unlink(path_.c_str());
  }

  int fd() const noexcept { return descriptor_.get(); }

  void rename_to_target() {
    if (::fsync(fd()) != 0) fail(errno, target_, "sync to disk");
    if (::close(descriptor_.release()) != 0) fail(errno, target_, "close");
    if (::rename(path_.c_str(), target_.c_str()) != 0) fail(errno, target_, "rename into place");
    renamed_ = true;
  }

 private:
  fs::path target_;
  fs::path path_;
  Descriptor descriptor_;
  bool renamed_ = false;
};

void write_all(int fd, std::string_view contents, const fs::path& path) {
  while (!contents.empty()) {
    const ssize_t written = ::write(fd, contents.data(), contents.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail(errno, path, "write " + std::to_string(contents.size()) + " bytes");
    }
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
}

// What stands behind symbolic links; a path that does not exist yet stays as it is.
fs::path follow_links(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::canonical(path, error);
  return error ? path : real;
}

fs::path folder_of(const fs::path& path) {
  const fs::path parent = path.parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

fs::path temporary_name(const fs::path& path) {
  return folder_of(path) / ("." + path.filename().string() + "." + std::to_string(::getpid()) + ".tmp");
}

// True for what is not a regular file and is not to be replaced by one: a device, a pipe, a socket.
bool is_special(const fs::path& path, const fs::file_status& status) {
  if (fs::is_directory(status)) fail(EISDIR, path, "that is a folder; name a file in it");
  return fs::exists(status) && !fs::is_regular_file(status);
}

fs::file_status checked_status(const fs::path& path) {
  if (path.empty() || !path.has_filename()) fail(EINVAL, path, "that names no file");
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status)) return status;
  if (!fs::exists(folder_of(path))) {
    fail(ENOENT, path, "create the folder '" + folder_of(path).string() + "' first");
  }
  return status;
}

// Makes the rename itself durable. Some file systems cannot sync a folder (EINVAL): the file is in
// place all the same.
void sync_folder(const fs::path& path) {
  const Descriptor folder(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) fail(errno, path, "open its folder");
  if (::fsync(folder.get()) != 0 && errno != EINVAL) fail(errno, path, "sync its folder");
}

}  // namespace

void write_file_atomically(const std::filesystem::path& path, std::string_view contents) {
  write_file_atomically(path, WriteParts([&](const auto& write) { write(contents); }));
}

void write_file_atomically(const std::filesystem::path& path, const WriteParts& parts) {
  const auto write_to = [&](int fd) {
    std::string waiting;
    constexpr std::size_t enough = 1 << 20;  // a system call for many small parts
    parts([&](std::string_view part) {
      waiting += part;
      if (waiting.size() < enough) return;
      write_all(fd, waiting, path);
      waiting.clear();
    });
    write_all(fd, waiting, path);
  };
  const fs::file_status status = checked_status(path);
  if (is_special(path, status)) {
    const Descriptor target(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (target.get() < 0) fail(errno, path, "open");
    write_to(target.get());
    return;
  }
  const fs::path target = follow_links(path);
  TemporaryFile temporary(target, temporary_name(target));
  write_to(temporary.fd());
  temporary.rename_to_target();
  sync_folder(target);
}

void check_writable(const std::filesystem::path& path) {
  const fs::file_status status = checked_status(path);
  if (is_special(path, status)) {
    if (::access(path.c_str(), W_OK) != 0) fail(errno, path, "open");
    return;
  }
  // Permissions alone do not tell (a read-only file system, root): make a file and remove it.
  const fs::path target = follow_links(path);
  const TemporaryFile probe(target, temporary_name(target));
}

}  // namespace graphbench::reporters
