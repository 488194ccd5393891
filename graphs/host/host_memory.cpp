// Allocation on the host device.
#include "graphs/host/host_memory.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace graphbench::host {
namespace {

constexpr std::size_t page_bytes = 4096;

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// The limit of the environment variable; 0 where it is not set.
std::size_t limit_from_environment() {
  const char* text = std::getenv(memory_limit_variable);
  if (text == nullptr) return 0;
  std::size_t bytes = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, bytes);
  if (error != std::errc() || stop != end || bytes == 0) {
    throw Error(ErrorCode::invalid_argument, std::string("open host device: ") + memory_limit_variable +
                                                 "=\"" + text + "\" is no positive number of bytes");
  }
  return bytes;
}

}  // namespace

HostMemory::HostMemory() : limit_bytes_(limit_from_environment()) {}

HostMemory::~HostMemory() {
  if (sizes_.empty()) return;
  std::fprintf(stderr, "graphbench: host device closed with %zu bytes still allocated\n", allocated_bytes_);
  for (const auto& [data, bytes] : sizes_) std::free(data);
}

MemoryInfo HostMemory::info() const {
  const SystemMemory system = read_system_memory();
  // A twentieth is left to the process itself, its libraries and other processes.
  const std::size_t reserve = system.total_bytes / 20;
  MemoryInfo info;
  info.total_bytes = system.total_bytes;
  info.free_bytes = system.available_bytes - std::min(system.available_bytes, reserve);
  if (limit_bytes_ != 0) {
    info.total_bytes = std::min(info.total_bytes, limit_bytes_);
    info.free_bytes = std::min(info.free_bytes, limit_bytes_ - std::min(limit_bytes_, allocated_bytes_));
  }
  return info;
}

void* HostMemory::allocate(std::size_t bytes) {
  const MemoryInfo before = info();
  // Compared before rounding up, which could overflow.
  if (bytes > before.free_bytes) {
    throw Error(ErrorCode::out_of_memory,
                "allocate " + std::to_string(bytes) + " bytes on host: " + std::to_string(before.free_bytes) +
                    " of " + std::to_string(before.total_bytes) + " bytes are free");
  }
  const std::size_t size = round_up(std::max<std::size_t>(bytes, 1), alignment);
  auto* data = static_cast<unsigned char*>(std::aligned_alloc(alignment, size));
  if (data == nullptr) {
    throw Error(ErrorCode::out_of_memory,
                "allocate " + std::to_string(bytes) + " bytes on host: the system refused");
  }
  // One write a page turns the promise into memory here, not in the middle of a measured step; the
  // next allocation then sees what is really left.
  for (std::size_t at = 0; at < size; at += page_bytes) data[at] = 0;
  try {
    sizes_.emplace(data, size);
  } catch (...) {
    std::free(data);
    throw;
  }
  allocated_bytes_ += size;
  return data;
}

void HostMemory::deallocate(void* data) noexcept {
  if (data == nullptr) return;
  const auto found = sizes_.find(data);
  if (found == sizes_.end()) {
    std::fprintf(stderr, "graphbench: host device asked to free %p, which it did not allocate\n", data);
    return;
  }
  allocated_bytes_ -= found->second;
  sizes_.erase(found);
  std::free(data);
}

}  // namespace graphbench::host
