// Writes and reads files of weights. The head depends on the manifest, so a file with a different head
// belongs to a different package.
#include "harness/package/weights.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "graphs/base/clock.hpp"
#include "graphs/base/digest.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"

namespace graphbench::package {
namespace {

constexpr std::string_view weights_first_words = "graphbench weights ";
constexpr std::string_view weights_version = "1";
constexpr const char* give_right_file = ": give the weights file that was written with the package";
constexpr std::int64_t page = 4096;

std::int64_t padded(std::int64_t bytes) {
  return (bytes + page - 1) / page * page;
}

std::string weights_head(const std::vector<Tensor>& tensors) {
  const std::string list = write_tensors(tensors);
  return std::string(weights_first_words).append(weights_version) + "\n" + sha256_hex(list) + "\n" + list +
         "\n";
}

class Timed {
 public:
  explicit Timed(double& sum) : sum_(sum) {}
  ~Timed() { sum_ += watch_.seconds(); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  double& sum_;
  const Stopwatch watch_;
};

std::string why_another(std::string_view head, const std::vector<Tensor>& wanted) {
  if (!head.starts_with(weights_first_words)) return "the file is not a weights file";
  head.remove_prefix(weights_first_words.size());
  const std::string_view its_version = head.substr(0, std::min(head.find('\n'), head.size()));
  if (its_version != weights_version && !its_version.empty() && its_version.size() < 10 &&
      its_version.find_first_not_of("0123456789") == std::string_view::npos)
    return "the file has version " + std::string(its_version) + ", but this graphbench reads version 1";
  const std::string_view rest = head.substr(std::min(its_version.size() + 1, head.size()));
  const std::size_t digest_end = rest.find('\n');
  const std::size_t list_end =
      digest_end == std::string_view::npos ? digest_end : rest.find('\n', digest_end + 1);
  const std::string_view list =
      list_end == std::string_view::npos ? "" : rest.substr(digest_end + 1, list_end - digest_end - 1);
  if (list.empty() || sha256_hex(list) != rest.substr(0, digest_end)) return "the file's header is damaged";
  try {
    const std::vector<Tensor> tensors = read_tensors(list);
    for (std::size_t i = 0; i < std::max(tensors.size(), wanted.size()); ++i) {
      if (i >= wanted.size()) return "tensor " + tensors[i].name + " does not belong to the package";
      const Tensor& tensor = wanted[i];
      if (i >= tensors.size() || tensors[i].name != tensor.name)
        return "tensor " + tensor.name + " of the package is missing or out of order";
      if (tensors[i].dtype != tensor.dtype || tensors[i].dims != tensor.dims)
        return "tensor " + tensor.name + " has another type or shape than the package says";
      if (tensors[i].sha256 != tensor.sha256)
        return "tensor " + tensor.name + " belongs to another package: the digests differ";
    }
  } catch (const Error&) {
    return "the file's header is damaged";
  }
  return "the file's header is damaged";
}

}  // namespace

void write_weights(const std::vector<Tensor>& tensors,
                   const std::function<void(std::size_t tensor, const TakePart& write)>& content,
                   const TakePart& write) {
  const auto fill_page = [&](std::int64_t bytes) {
    write(std::string(static_cast<std::size_t>(padded(bytes) - bytes), '\0'));
  };
  const std::string head = weights_head(tensors);
  write(head);
  fill_page(static_cast<std::int64_t>(head.size()));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    content(i, write);
    fill_page(tensors[i].bytes);
  }
}

WeightsFile::WeightsFile(const std::string& path, const Manifest& manifest, std::size_t part_bytes)
    : path_(path),
      manifest_(manifest),
      part_bytes_(part_bytes),
      file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat facts {};
  if (file_.get() < 0 || fstat(file_.get(), &facts) != 0)
    throw Error(ErrorCode::io, in_quotes(path_) + " cannot be read: " + std::strerror(errno));
  if (!S_ISREG(facts.st_mode)) refuse("the path is not a regular file");
  bytes_ = facts.st_size;
  const std::string head = weights_head(manifest.tensors);
  head_bytes_ = static_cast<std::int64_t>(head.size());
  std::int64_t end = padded(head_bytes_);
  std::size_t largest = std::max(head.size(), static_cast<std::size_t>(page));
  for (const Tensor& tensor : manifest.tensors) {
    offsets_.push_back(end);
    end += padded(tensor.bytes);
    largest = std::max(largest, std::min(static_cast<std::size_t>(tensor.bytes), part_bytes_));
  }
  buffer_.reserve(largest);  // growing the buffer later would take more memory
  read_at(0, static_cast<std::size_t>(std::min(bytes_, head_bytes_)));
  if (buffer_ != head) {
    constexpr std::int64_t another_head_max = std::int64_t{64} << 20;
    read_at(0, static_cast<std::size_t>(std::min(bytes_, another_head_max)));
    refuse(why_another(buffer_, manifest.tensors) + give_right_file);
  }
  if (bytes_ != end)
    refuse((bytes_ < end ? "the file is cut short" : "there is data after the last tensor") +
           std::string(give_right_file));
  check_padding(head_bytes_, padded(head_bytes_));
  verified_.assign(offsets_.size(), false);
  is_unchanged();
}

void WeightsFile::refuse(const std::string& why) const {
  throw Error(ErrorCode::invalid_argument, in_quotes(path_) + ": " + why);
}

void WeightsFile::read_at(std::int64_t offset, std::size_t bytes) {
  const Timed timed(read_seconds_);
  buffer_.resize(bytes);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t got =
        pread(file_.get(), buffer_.data() + done, bytes - done, offset + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(ErrorCode::io, in_quotes(path_) + " cannot be read: " + std::strerror(errno));
    if (got == 0) refuse("the file is cut short");
    done += static_cast<std::size_t>(got);
  }
}

void WeightsFile::check_padding(std::int64_t from, std::int64_t to) {
  read_at(from, static_cast<std::size_t>(to - from));
  if (buffer_.find_first_not_of('\0') != std::string::npos) refuse("there is data between the tensors");
}

bool WeightsFile::is_unchanged() {
  struct stat facts {};
  if (fstat(file_.get(), &facts) != 0)
    throw Error(ErrorCode::io, in_quotes(path_) + " cannot be read: " + std::strerror(errno));
  // Compares the ctime, because a program can set back the mtime.
  const timespec before = std::exchange(changed_at_, facts.st_ctim);
  const bool unchanged = before.tv_sec == changed_at_.tv_sec && before.tv_nsec == changed_at_.tv_nsec;
  if (!unchanged) verified_.assign(offsets_.size(), false);
  return unchanged;
}

void WeightsFile::read(std::size_t tensor, const TakePart& take) {
  is_unchanged();
  const Tensor& wanted = manifest_.tensors[tensor];
  const auto bytes = static_cast<std::size_t>(wanted.bytes);
  Sha256 digest;
  for (std::size_t done = 0; done < bytes; done += buffer_.size()) {
    read_at(offsets_[tensor] + static_cast<std::int64_t>(done), std::min(part_bytes_, bytes - done));
    if (!verified_[tensor]) {
      const Timed timed(verify_seconds_);
      digest.add(buffer_);
    }
    take(buffer_);
  }
  if (verified_[tensor]) {
    if (!is_unchanged()) refuse("the file was changed while it was read");
    return;
  }
  if (digest.hex() != wanted.sha256)
    refuse("tensor " + wanted.name + " does not match its digest in the package");
  verified_[tensor] = true;
}

void WeightsFile::verify() {
  for (std::size_t i = 0; i < offsets_.size(); ++i) {
    const std::int64_t end = offsets_[i] + manifest_.tensors[i].bytes;
    read(i, [](std::string_view) {});
    check_padding(end, padded(end));
  }
}

void WeightsFile::upload(Stream& stream, std::string_view method, std::string_view name, void* destination) {
  const Tensor* tensor = find_tensor(manifest_, method, name);
  if (tensor == nullptr) refuse("the package has no tensor " + std::string(name));
  auto* to = static_cast<std::byte*>(destination);
  read(static_cast<std::size_t>(tensor - manifest_.tensors.data()), [&](std::string_view part) {
    const Timed timed(upload_seconds_);
    stream.copy_to_device(to, part.data(), part.size());
    stream.synchronize();
    to += part.size();
  });
}

}  // namespace graphbench::package
