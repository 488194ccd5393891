// System calls: the standard library opens folders, and waits for a pipe's writer.
#include "graphs/base/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "graphs/base/files.hpp"

namespace graphbench::model {
namespace {

WholeFile cannot_be_read() {
  return {{}, std::string("cannot be read: ") + std::strerror(errno), errno};
}

WholeFile read_from(int descriptor, std::size_t bytes_max) {
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0 || ::fcntl(descriptor, F_SETFL, 0) != 0) return cannot_be_read();
  if (S_ISDIR(facts.st_mode)) return {{}, "cannot be read: it is a directory"};
  if (!S_ISREG(facts.st_mode) && !S_ISFIFO(facts.st_mode)) return {{}, "cannot be read: it is a device"};
  const WholeFile too_large{{}, "has more than " + std::to_string(bytes_max >> 20) + " MiB"};
  const auto expected = static_cast<std::size_t>(facts.st_size);  // files of /proc and pipes say 0
  if (expected > bytes_max) return too_large;
  std::string text(expected + 1, '\0');  // a byte more, so that the end is seen
  std::size_t size = 0;
  while (const ssize_t got = ::read(descriptor, text.data() + size, text.size() - size)) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_be_read();
    size += static_cast<std::size_t>(got);
    if (size > bytes_max) return too_large;
    if (size == text.size()) text.resize(std::min(2 * size + 4096, bytes_max + 1));
  }
  if (S_ISFIFO(facts.st_mode) && size == 0) return {{}, "cannot be read: it is a pipe without a writer"};
  text.resize(size);
  return {std::move(text), {}};
}

}  // namespace

WholeFile read_whole_file(const std::string& path, std::size_t bytes_max) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return file.get() < 0 ? cannot_be_read() : read_from(file.get(), bytes_max);
}

}  // namespace graphbench::model
