// The file with the weights and parameters of a package, whose manifest has a digest of each. Tensors begin
// on pages of 4096 bytes, and nothing else is in the file but its head, which names them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/device/execution.hpp"
#include "graphs/ir/program.hpp"
#include "harness/package/manifest.hpp"

namespace graphbench::package {

// Hands the file's parts to `write`, one after another. `content` gives a tensor's bytes.
void write_weights(const std::vector<Tensor>& tensors,
                   const std::function<std::string_view(std::size_t tensor)>& content,
                   const std::function<void(std::string_view)>& write);

// One thread at a time. Everything throws Error(invalid_argument) that names the file and the tensor, or
// Error(io).
class WeightsFile {
 public:
  // Reads the head: the file must be of this manifest's tensors. The manifest outlives this.
  WeightsFile(const std::string& path, const Manifest& manifest);
  ~WeightsFile();
  WeightsFile(const WeightsFile&) = delete;
  WeightsFile& operator=(const WeightsFile&) = delete;

  // Every tensor, and what is between them.
  void verify();
  // A method's tensor to a device, verified. It is there when the call returns.
  void upload(Stream& stream, std::string_view method, std::string_view name, void* destination);

  std::int64_t bytes() const noexcept { return bytes_; }
  double read_seconds() const noexcept { return read_seconds_; }      // so far
  double verify_seconds() const noexcept { return verify_seconds_; }  // likewise
  double upload_seconds() const noexcept { return upload_seconds_; }  // likewise

 private:
  const std::string& read(std::size_t tensor);
  void read_at(std::int64_t offset, std::size_t bytes);
  void check_padding(std::int64_t from, std::int64_t to);
  [[noreturn]] void refuse(const std::string& why) const;

  std::string path_;
  const Manifest& manifest_;
  int descriptor_ = -1;
  std::int64_t bytes_ = 0;
  std::int64_t head_bytes_ = 0;        // without what follows it up to a page's end
  std::vector<std::int64_t> offsets_;  // by tensor
  std::string buffer_;
  double read_seconds_ = 0;
  double verify_seconds_ = 0;
  double upload_seconds_ = 0;
};

}  // namespace graphbench::package
