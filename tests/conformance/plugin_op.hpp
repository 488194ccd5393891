// Parts of the ops that tests define as a plugin would, for every backend.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <deque>

#include "graphs/abi/foreign_op.hpp"
#include "graphs/ir/program.hpp"
#include "tests/support/foreign_op.hpp"

namespace graphbench::conformance {

// Lives until the process ends, like a plugin's ops: devices may identify an op by its definition's address.
inline ir::OpCatalog& catalog_with(const gb_op& op) {
  static std::deque<ir::OpCatalog> catalogs;
  ir::OpCatalog& catalog = catalogs.emplace_back();
  catalog.add(abi::foreign_definition(op));
  return catalog;
}

// Enqueues a fill of device memory, for use in launch_cuda. Calls the driver that the backend has loaded,
// because these tests are built without CUDA. Returns a CUresult.
inline int fill_words(void* destination, unsigned word, std::size_t words, void* cuda_stream) {
  using Fill = int (*)(std::uintptr_t destination, unsigned word, std::size_t words, void* stream);
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  static const auto fill =
      driver == nullptr ? nullptr : reinterpret_cast<Fill>(dlsym(driver, "cuMemsetD32Async"));
  return fill == nullptr ? 999
                         : fill(reinterpret_cast<std::uintptr_t>(destination), word, words, cuda_stream);
}

inline int copy_bytes(void* to, const void* from, std::size_t bytes, void* cuda_stream) {
  using Copy = int (*)(std::uintptr_t to, std::uintptr_t from, std::size_t bytes, void* stream);
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  static const auto copy =
      driver == nullptr ? nullptr : reinterpret_cast<Copy>(dlsym(driver, "cuMemcpyDtoDAsync_v2"));
  return copy == nullptr ? 999
                         : copy(reinterpret_cast<std::uintptr_t>(to), reinterpret_cast<std::uintptr_t>(from),
                                bytes, cuda_stream);
}

using test::infer_same;

}  // namespace graphbench::conformance
