// Files into memory with the room behind them that the parser wants, one at a time.
#include "harness/compare/read_side.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/compare/cell_windows.hpp"
#include "harness/compare/foreign_documents.hpp"
#include "harness/compare/parse_document.hpp"
#include "harness/config/input_error.hpp"

namespace graphbench::compare {
namespace {

namespace fs = std::filesystem;
using config::InputError;

[[noreturn]] void cannot_read(const std::string& path, int error) {
  throw InputError(path, "it cannot be read: " + std::generic_category().message(error));
}

class InputFile {
 public:
  // Does not wait for somebody to open the other end of a named pipe: one without a writer is empty.
  explicit InputFile(const std::string& path)
      : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (fd_ < 0) cannot_read(path_, errno);
    if (::fcntl(fd_, F_SETFL, O_RDONLY) == 0) return;
    const int error = errno;
    ::close(fd_);
    cannot_read(path_, error);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() { ::close(fd_); }

  // The size of a regular file; 0 for a pipe, which does not know.
  std::size_t size() const {
    struct stat status {};
    if (::fstat(fd_, &status) != 0) cannot_read(path_, errno);
    return S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
  }

  // How much of `bytes` was filled; less only at the end.
  std::size_t read(char* to, std::size_t bytes) const {
    std::size_t filled = 0;
    while (filled < bytes) {
      const ssize_t got = ::read(fd_, to + filled, bytes - filled);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) cannot_read(path_, errno);
      if (got == 0) break;
      filled += static_cast<std::size_t>(got);
    }
    return filled;
  }

 private:
  std::string path_;
  int fd_;
};

// A text with text_padding bytes behind it. Not a std::string: that would write zeros over it all first.
struct PaddedText {
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<char, Free> bytes;
  std::size_t size = 0;
};

// In huge pages where the system has them: faulting a large text in costs as much as reading it.
std::unique_ptr<char, PaddedText::Free> make_room(std::size_t capacity) {
  constexpr std::size_t page = std::size_t{2} << 20;
  const std::size_t rounded = (capacity + text_padding + page - 1) / page * page;
  std::unique_ptr<char, PaddedText::Free> bytes(static_cast<char*>(std::aligned_alloc(page, rounded)));
  if (!bytes) throw std::bad_alloc();
  ::madvise(bytes.get(), rounded, MADV_HUGEPAGE);  // advice: refusing it changes nothing
  return bytes;
}

PaddedText read_text(const std::string& path) {
  const InputFile file(path);
  constexpr auto limit = static_cast<std::size_t>(document_bytes_max);
  const auto check = [&](std::size_t size) {
    if (size <= limit) return;
    throw InputError(path, "it is larger than " + std::to_string(limit >> 20) +
                               " MiB, the most one document may have: split it into a folder of documents");
  };
  check(file.size());
  // A byte more than there should be, so that the end is seen.
  std::size_t capacity = std::max(file.size(), std::size_t{1} << 16) + 1;
  PaddedText text;
  for (;;) {
    auto bytes = make_room(capacity);
    if (text.size > 0) std::memcpy(bytes.get(), text.bytes.get(), text.size);
    text.bytes = std::move(bytes);
    text.size += file.read(text.bytes.get() + text.size, capacity - text.size);
    check(text.size);
    if (text.size < capacity) break;
    capacity *= 2;
  }
  std::memset(text.bytes.get() + text.size, 0, text_padding);
  return text;
}

// Absent where the whole text is needed. A pipe can be read only once.
std::optional<Document> read_in_windows(const std::string& path) {
  constexpr std::size_t worth_windows = std::size_t{4} << 20;
  constexpr std::size_t window_bytes = std::size_t{1} << 20;
  const InputFile file(path);
  if (file.size() < worth_windows || file.size() > static_cast<std::size_t>(document_bytes_max))
    return std::nullopt;
  return parse_in_windows([&](char* to, std::size_t bytes) { return file.read(to, bytes); }, path,
                          window_bytes);
}

// Whole texts need twice their size while they are parsed: of large ones, one at a time is in memory.
Document read_whole(const std::string& path, std::mutex& large_text) {
  constexpr std::uintmax_t large = std::uintmax_t{1} << 27;
  std::unique_lock turn(large_text, std::defer_lock);
  std::error_code error;
  if (fs::file_size(path, error) >= large || error) turn.lock();
  const PaddedText text = read_text(path);
  return parse_any_document({text.bytes.get(), text.size}, path);
}

Document read_document(const std::string& path, std::mutex& large_text) {
  std::optional<Document> document = read_in_windows(path);
  return document ? std::move(*document) : read_whole(path, large_text);
}

std::vector<std::string> documents_below(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(".") && name.ends_with(".json")) paths.push_back(at->path().string());
  }
  if (error) cannot_read(folder, error.value());
  if (paths.empty())
    throw InputError(folder, "the folder holds no *.json: give a result document or a folder of them");
  std::ranges::sort(paths);
  return paths;
}

// A file counts once, however many names it has.
void check_names(const std::vector<std::string>& paths) {
  std::map<std::pair<dev_t, ino_t>, const std::string*> seen;
  for (const std::string& path : paths) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) cannot_read(path, errno);
    const auto [place, is_new] = seen.try_emplace({status.st_dev, status.st_ino}, &path);
    if (!is_new) throw InputError(path, "it is the same file as " + *place->second + ": remove one");
  }
}

Side read_side(const std::string& path, std::mutex& large_text) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  std::vector<Document> documents;
  const std::vector<std::string> paths = folder ? documents_below(path) : std::vector<std::string>{path};
  check_names(paths);
  for (const std::string& each : paths) documents.push_back(read_document(each, large_text));
  return merge(path, std::move(documents));
}

// Whoever writes into two pipes may fill the first before the second.
bool is_pipe(const std::string& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  return type != fs::file_type::regular && type != fs::file_type::directory;
}

}  // namespace

Side read_side(const std::string& path) {
  std::mutex alone;
  return read_side(path, alone);
}

Sides read_sides(const std::string& base, const std::string& now) {
  std::mutex large_text;
  const bool in_turns = is_pipe(base) || is_pipe(now);
  // Whichever fails first, BASE's error is told.
  std::future<Side> second = std::async(in_turns ? std::launch::deferred : std::launch::async,
                                        [&] { return read_side(now, large_text); });
  Side first = read_side(base, large_text);
  return {std::move(first), second.get()};
}

}  // namespace graphbench::compare
