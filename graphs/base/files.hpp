// Open files: each has one owner, and text is written to it whole.
#pragma once

#include <string_view>
#include <utility>

namespace graphbench {

// A file descriptor with one owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const noexcept { return value_; }
  int release() noexcept { return std::exchange(value_, -1); }

 private:
  int value_ = -1;
};

// Returns what could not be written, for the reason that errno says; empty where all of it was.
std::string_view write_all(int descriptor, std::string_view text) noexcept;

}  // namespace graphbench
