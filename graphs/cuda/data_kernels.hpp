// Filling device memory with the data every device uses, and digesting it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "graphs/ir/program.hpp"

namespace graphbench::cuda {

void launch_fill(cudaStream_t stream, void* destination, ir::DType dtype, std::size_t elements,
                 const ir::Init& init, std::uint64_t seed);

// Adds the digest of `words` 32-bit words to `*sum`, which the caller has zeroed.
void launch_digest(cudaStream_t stream, const void* source, std::size_t words, unsigned long long* sum,
                   int multiprocessors);

}  // namespace graphbench::cuda
