// System calls, so that a pipe is not waited for and memory comes in huge pages.
#include "harness/codec/document_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

#include "harness/codec/parse_document.hpp"
#include "harness/model/input_error.hpp"

namespace graphbench::codec {
namespace {

// In huge pages where the system has them: faulting a large text in costs as much as reading it.
std::unique_ptr<char, PaddedText::Free> make_room(std::size_t capacity) {
  constexpr std::size_t page = std::size_t{2} << 20;
  const std::size_t rounded = (capacity + text_padding + page - 1) / page * page;
  std::unique_ptr<char, PaddedText::Free> bytes(static_cast<char*>(std::aligned_alloc(page, rounded)));
  if (!bytes) throw std::bad_alloc();
  ::madvise(bytes.get(), rounded, MADV_HUGEPAGE);  // advice: refusing it changes nothing
  return bytes;
}

}  // namespace

void cannot_read(const std::string& path, int error) {
  throw InputError(path, "it cannot be read: " + std::generic_category().message(error));
}

DocumentFile::DocumentFile(const std::string& path)
    : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (fd_ < 0) cannot_read(path_, errno);
  if (::fcntl(fd_, F_SETFL, O_RDONLY) == 0) return;
  const int error = errno;
  ::close(fd_);
  cannot_read(path_, error);
}

DocumentFile::~DocumentFile() {
  ::close(fd_);
}

std::size_t DocumentFile::size() const {
  struct stat status {};
  if (::fstat(fd_, &status) != 0) cannot_read(path_, errno);
  return S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
}

std::size_t DocumentFile::read(char* to, std::size_t bytes) const {
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

PaddedText read_text(const std::string& path) {
  const DocumentFile file(path);
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

}  // namespace graphbench::codec
