// Filling and digesting device memory: graphs/ir/random_fill.hpp over whole buffers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graphs/ir/program.hpp"

namespace graphbench::host {

struct FillRequest {
  void* destination = nullptr;
  std::size_t elements = 0;
  std::uint64_t seed = 0;
  ir::Init init;
  ir::DType dtype = ir::DType::fp32;
};

// Throws Error(unsupported) for fp16, which this device has no arithmetic for.
void run_fill(const FillRequest& request);

// `bytes` is a multiple of 4.
std::uint64_t digest_of(const void* source, std::size_t bytes);

}  // namespace graphbench::host
