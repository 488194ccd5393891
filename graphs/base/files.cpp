// System calls, begun again where a signal interrupts them.
#include "graphs/base/files.hpp"

#include <unistd.h>

#include <cerrno>

namespace graphbench {

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

}  // namespace graphbench
