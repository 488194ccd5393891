// Reads and writes files with system calls, because the standard library opens folders, waits for a pipe's
// writer, and can neither sync nor lock. A writer fills a temporary file next to the target, then calls
// fsync, rename, and fsync of the folder, so the target survives a full disk, a kill and a power cut. A
// writer's lock on its temporary file lasts until its process ends, so an unlocked file is a leftover.
// Process ids could not show this, because two containers can use the same id.
#include "graphs/base/files.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>
#include <vector>

#include "graphs/base/text.hpp"

namespace graphbench {
namespace {

WholeFile cannot_be_read() {
  return {{}, std::string("cannot be read: ") + std::strerror(errno), errno};
}

WholeFile read_from(int descriptor, std::size_t bytes_max) {
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0 || ::fcntl(descriptor, F_SETFL, 0) != 0) return cannot_be_read();
  if (S_ISDIR(facts.st_mode)) return {{}, "cannot be read: the path is a directory"};
  if (!S_ISREG(facts.st_mode) && !S_ISFIFO(facts.st_mode))
    return {{}, "cannot be read: the file is a device"};
  const WholeFile too_large{{}, "has more than " + std::to_string(bytes_max >> 20) + " MiB"};
  const auto expected = static_cast<std::size_t>(facts.st_size);  // 0 for pipes and files of /proc
  if (expected > bytes_max) return too_large;
  std::string text(expected + 1, '\0');  // one byte more, so that read() can report the end
  std::size_t size = 0;
  while (const ssize_t got = ::read(descriptor, text.data() + size, text.size() - size)) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_be_read();
    size += static_cast<std::size_t>(got);
    if (size > bytes_max) return too_large;
    if (size == text.size()) text.resize(std::min(2 * size + 4096, bytes_max + 1));
  }
  if (S_ISFIFO(facts.st_mode) && size == 0) return {{}, "cannot be read: the pipe has no writer"};
  text.resize(size);
  return {std::move(text), {}};
}

namespace fs = std::filesystem;

[[noreturn]] void fail(int error, const fs::path& path, const std::string& step) {
  throw std::system_error(error, std::generic_category(),
                          "write '" + shortened(path.string()) + "': " + step);
}

fs::path folder_of(const fs::path& path) {
  const fs::path parent = path.parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

// Temporary files of a target are named ".NAME.HEX.tmp".
std::string start_of_temporary(const fs::path& target) {
  return "." + target.filename().string() + ".";
}
constexpr std::string_view end_of_temporary = ".tmp";

void remove_leftovers(const fs::path& target) {
  const std::string start = start_of_temporary(target);
  std::error_code unreadable;  // in a folder that cannot be listed, leftovers stay
  for (fs::directory_iterator entry(folder_of(target), unreadable), behind; entry != behind;
       entry.increment(unreadable)) {
    std::string name = entry->path().filename().string();
    if (!name.starts_with(start) || !name.ends_with(end_of_temporary)) continue;
    name = name.substr(start.size(),
                       name.size() - std::min(name.size(), start.size() + end_of_temporary.size()));
    if (name.empty() || name.find_first_not_of("0123456789abcdef") != std::string::npos) continue;
    const Descriptor file(::open(entry->path().c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.get() >= 0 && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(entry->path().c_str());
  }
}

// The permissions of the file that is replaced; absent if there is none.
std::optional<mode_t> mode_of(const fs::path& target) {
  struct stat facts {};
  if (::lstat(target.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  return facts.st_mode & 0777;
}

// Replaces a file with the permissions of that file: a result that its owner made private stays private.
// Until the rename, the temporary file of such a target is its owner's alone.
class TemporaryFile {
 public:
  explicit TemporaryFile(fs::path target) : target_(std::move(target)), mode_(mode_of(target_)) {
    remove_leftovers(target_);  // first: if this throws, the destructor does not run
    descriptor_ = create();
  }
  TemporaryFile(fs::path target, fs::path draft)
      : target_(std::move(target)),
        mode_(mode_of(target_)),
        path_(std::move(draft)),
        descriptor_(
            ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, first_mode())) {
    if (fd() < 0) fail(errno, target_, "create " + path_.filename().string());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!renamed_) ::unlink(path_.c_str());
  }

  int fd() const noexcept { return descriptor_.get(); }

  // Keeps the lock, so that no other writer mistakes the file for a leftover before the rename.
  void rename_to_target() {
    if (mode_ && ::fchmod(fd(), *mode_) != 0) fail(errno, target_, "keep the replaced file's permissions");
    if (::fsync(fd()) != 0) fail(errno, target_, "sync to disk");
    if (::rename(path_.c_str(), target_.c_str()) != 0) fail(errno, target_, "rename the temporary file");
    renamed_ = true;
  }

 private:
  mode_t first_mode() const { return mode_ ? 0600 : 0666; }

  // Another writer may remove the file as a leftover before the lock is taken; the loop then tries another
  // name. On a file system without locks, leftovers stay.
  Descriptor create() {
    for (;;) {
      std::uint32_t number = 0;
      if (::getrandom(&number, sizeof number, 0) != sizeof number)
        fail(errno, target_, "make a random file name");
      std::array<char, 9> hex{};
      std::snprintf(hex.data(), hex.size(), "%08x", number);
      path_ = folder_of(target_) / (start_of_temporary(target_) + hex.data() + std::string(end_of_temporary));
      Descriptor file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, first_mode()));
      if (file.get() < 0 && errno == EEXIST) continue;
      if (file.get() < 0) fail(errno, target_, "create a file in that folder");
      const bool contended = ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
      struct stat facts {};
      if (!contended && (::fstat(file.get(), &facts) != 0 || facts.st_nlink > 0)) return file;
    }
  }

  fs::path target_;
  std::optional<mode_t> mode_;
  fs::path path_;
  Descriptor descriptor_;
  bool renamed_ = false;
};

void write_whole(int fd, std::string_view contents, const fs::path& path) {
  if (const std::string_view rest = write_all(fd, contents); !rest.empty())
    fail(errno, path, "write " + std::to_string(rest.size()) + " bytes");
}

fs::path follow_links(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::canonical(path, error);
  return error ? path : real;
}

// True for a device, a pipe or a socket, which a regular file must not replace.
bool is_special(const fs::path& path, const fs::file_status& status) {
  if (fs::is_directory(status)) fail(EISDIR, path, "the path is a folder: give a file in that folder");
  return fs::exists(status) && !fs::is_regular_file(status);
}

// Throws instead of waiting for a pipe's reader, which might never come.
Descriptor open_special(const fs::path& path) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0 && errno == ENXIO && fs::is_fifo(path))
    fail(EPIPE, path, "the pipe has no reader: start the reader first");
  if (file.get() < 0 || ::fcntl(file.get(), F_SETFL, O_WRONLY) != 0) fail(errno, path, "open");
  return file;
}

fs::file_status checked_status(const fs::path& path) {
  if (path.empty() || !path.has_filename()) fail(EINVAL, path, "the path does not name a file");
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status)) return status;
  if (!fs::exists(folder_of(path))) {
    fail(ENOENT, path, "create the folder '" + folder_of(path).string() + "' first");
  }
  return status;
}

// Some file systems cannot sync a folder (EINVAL).
void sync_folder(const fs::path& path) {
  const Descriptor folder(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) fail(errno, path, "open the file's folder");
  if (::fsync(folder.get()) != 0 && errno != EINVAL) fail(errno, path, "sync the file's folder");
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (value_ >= 0) ::close(value_);
    value_ = other.release();
  }
  return *this;
}

Descriptor::~Descriptor() {
  if (value_ >= 0) ::close(value_);
}

std::string_view write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) break;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return text;
}

WholeFile read_whole_file(const std::string& path, std::size_t bytes_max) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return file.get() < 0 ? cannot_be_read() : read_from(file.get(), bytes_max);
}

void write_file_atomically(const std::filesystem::path& path, std::string_view contents) {
  write_file_atomically(path, WriteParts([&](const auto& write) { write(contents); }));
}

void write_file_atomically(const std::filesystem::path& path, const WriteParts& parts) {
  const auto write_to = [&](int fd) {
    std::string waiting;
    constexpr std::size_t enough = 1 << 20;
    parts([&](std::string_view part) {
      waiting += part;
      if (waiting.size() < enough) return;
      write_whole(fd, waiting, path);
      waiting.clear();
    });
    write_whole(fd, waiting, path);
  };
  const fs::file_status status = checked_status(path);
  if (is_special(path, status)) {
    write_to(open_special(path).get());
    return;
  }
  const fs::path target = follow_links(path);
  TemporaryFile temporary(target);
  write_to(temporary.fd());
  temporary.rename_to_target();
  sync_folder(target);
}

void write_file_atomically(const std::filesystem::path& path, std::string_view contents,
                           const std::filesystem::path& draft) {
  TemporaryFile temporary(path, draft);
  write_whole(temporary.fd(), contents, path);
  temporary.rename_to_target();
  sync_folder(path);
}

void remove_leftovers_of(const std::filesystem::path& path) {
  remove_leftovers(follow_links(path));
}

void check_writable(const std::filesystem::path& path) {
  const fs::file_status status = checked_status(path);
  if (is_special(path, status)) {
    static std::vector<Descriptor> opened;
    opened.push_back(open_special(path));
    return;
  }
  // Permission bits mislead on a read-only file system and for root, so this creates a file and removes it.
  const fs::path target = follow_links(path);
  const TemporaryFile probe(target);
}

std::string own_directory() {
  Dl_info here{};
  std::error_code error;
  if (dladdr(reinterpret_cast<const void*>(&own_directory), &here) == 0) return "lib/graphbench";
  const std::filesystem::path library = std::filesystem::absolute(here.dli_fname, error);
  return (library.parent_path() / "graphbench").lexically_normal().string();
}

std::string module_directory() {
  const char* chosen = std::getenv("GRAPHBENCH_MODULE_DIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : own_directory();
}

}  // namespace graphbench
