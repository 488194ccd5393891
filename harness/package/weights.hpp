// The file with a package's weights and parameters. The file has a head, which lists the tensors, and then
// the tensors, each at a multiple of 4096 bytes. The manifest has a digest of each tensor.
#pragma once

#include <time.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/base/files.hpp"
#include "graphs/device/execution.hpp"
#include "graphs/ir/program.hpp"
#include "harness/package/manifest.hpp"

namespace graphbench::package {

using TakePart = std::function<void(std::string_view part)>;

// Passes the file's parts to `write` in order. `content` passes the bytes of tensors[tensor] to its `write`.
void write_weights(const std::vector<Tensor>& tensors,
                   const std::function<void(std::size_t tensor, const TakePart& write)>& content,
                   const TakePart& write);

// The most bytes of a tensor that are in host memory at a time during a copy between file and device.
inline constexpr std::size_t part_bytes_of(bool low_memory) {
  return low_memory ? std::size_t{1} << 20 : SIZE_MAX;
}

// Use it from one thread at a time. All functions throw Error(invalid_argument), which names the file and the
// tensor, or Error(io).
class WeightsFile {
 public:
  // Reads the head, which must match `manifest`. The manifest must outlive this object. At most `part_bytes`
  // of a tensor are in memory at a time.
  WeightsFile(const std::string& path, const Manifest& manifest, std::size_t part_bytes = SIZE_MAX);
  WeightsFile(const WeightsFile&) = delete;
  WeightsFile& operator=(const WeightsFile&) = delete;

  // Verifies every tensor and the padding between tensors.
  void verify();
  // Uploads a method's tensor. Verifies its digest at the first upload, and again if the file's ctime has
  // changed. A write through mmap() that keeps the ctime is not detected. After an exception, the content of
  // `destination` is undefined.
  void upload(Stream& stream, std::string_view method, std::string_view name, void* destination);

  std::int64_t bytes() const noexcept { return bytes_; }
  std::size_t staging_bytes() const noexcept { return buffer_.capacity(); }
  double read_seconds() const noexcept { return read_seconds_; }
  double verify_seconds() const noexcept { return verify_seconds_; }
  double upload_seconds() const noexcept { return upload_seconds_; }

 private:
  void read(std::size_t tensor, const TakePart& take);
  void read_at(std::int64_t offset, std::size_t bytes);
  // Whether the file's ctime is the same as at the last call. If not, every tensor must be verified again.
  bool is_unchanged();
  void check_padding(std::int64_t from, std::int64_t to);
  [[noreturn]] void refuse(const std::string& why) const;

  std::string path_;
  const Manifest& manifest_;
  const std::size_t part_bytes_;
  const Descriptor file_;
  std::int64_t bytes_ = 0;
  std::int64_t head_bytes_ = 0;        // without the padding after it
  std::vector<std::int64_t> offsets_;  // offsets_[i] is of manifest_.tensors[i]
  std::vector<bool> verified_;
  timespec changed_at_{};
  std::string buffer_;
  double read_seconds_ = 0;
  double verify_seconds_ = 0;
  double upload_seconds_ = 0;
};

}  // namespace graphbench::package
