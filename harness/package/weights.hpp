// The file with the weights and parameters of a package, whose manifest has a digest of each. Tensors begin
// on pages of 4096 bytes, and nothing else is in the file but its head, which names them.
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

// Hands the file's parts to `write`, one after another. `content` hands a tensor's bytes on, in parts too.
void write_weights(const std::vector<Tensor>& tensors,
                   const std::function<void(std::size_t tensor, const TakePart& write)>& content,
                   const TakePart& write);

// How many of a tensor's bytes are in memory at a time on their way between a file and a device.
inline constexpr std::size_t part_bytes_of(bool low_memory) {
  return low_memory ? std::size_t{1} << 20 : SIZE_MAX;
}

// One thread at a time. Everything throws Error(invalid_argument) that names the file and the tensor, or
// Error(io).
class WeightsFile {
 public:
  // Reads the head: the file must be of this manifest's tensors. The manifest outlives this. A tensor is in
  // memory in parts of `part_bytes` at most, one after another.
  WeightsFile(const std::string& path, const Manifest& manifest, std::size_t part_bytes = SIZE_MAX);
  WeightsFile(const WeightsFile&) = delete;
  WeightsFile& operator=(const WeightsFile&) = delete;

  // Every tensor, and the gaps between them.
  void verify();
  // Uploads a method's tensor to a device, and verifies it: once, unless the system has noted a write to the
  // file since (it does not note every store to a mapping). After an exception the tensor's memory is
  // undefined.
  void upload(Stream& stream, std::string_view method, std::string_view name, void* destination);

  std::int64_t bytes() const noexcept { return bytes_; }
  std::size_t staging_bytes() const noexcept { return buffer_.capacity(); }
  double read_seconds() const noexcept { return read_seconds_; }      // so far
  double verify_seconds() const noexcept { return verify_seconds_; }  // likewise
  double upload_seconds() const noexcept { return upload_seconds_; }  // likewise

 private:
  void read(std::size_t tensor, const TakePart& take);
  void read_at(std::int64_t offset, std::size_t bytes);
  // True if the file is as it was at the last call; where not, no tensor is verified.
  bool is_unchanged();
  void check_padding(std::int64_t from, std::int64_t to);
  [[noreturn]] void refuse(const std::string& why) const;

  std::string path_;
  const Manifest& manifest_;
  const std::size_t part_bytes_;
  const Descriptor file_;
  std::int64_t bytes_ = 0;
  std::int64_t head_bytes_ = 0;        // without the padding up to a page's end
  std::vector<std::int64_t> offsets_;  // by tensor
  std::vector<bool> verified_;         // likewise
  timespec changed_at_{};              // the file's last change when `verified_` was filled in
  std::string buffer_;
  double read_seconds_ = 0;
  double verify_seconds_ = 0;
  double upload_seconds_ = 0;
};

}  // namespace graphbench::package
