// The generator: the CUDA C++ source of one kernel for a chain of ops. Pure.
//
// One block a row where an op sums a row up or turns it (rmsnorm, rope), with the threads and the columns a
// thread has that the rmsnorm kernel has, so that sums have its order; else 256 threads on elements that
// follow one another. A value is an array of fp32 in registers, rounded to its dtype as if it came back from
// memory; what the chain reads is loaded once, and only what others read is stored. Extents are constants, or
// arguments: then one source serves all batches and widths, with a function for each layout of rows. Threads
// and the columns that each has are the same in both, and so are the sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphs/device/execution.hpp"

namespace graphbench::cuda {

struct ChainSource {
  std::string text;      // its functions take a struct of pointers: what is read, then what is written
  std::string function;  // which of them to launch
  std::vector<std::int64_t> extents;  // behind the pointers in the struct
  unsigned blocks = 0;
  unsigned threads = 0;
  unsigned shared_bytes = 0;                  // beside what the code itself has
  std::optional<std::size_t> in_place_input;  // as Kernel has it
  std::string why_not;                        // not empty: there is no kernel for it
};
ChainSource chain_source(const ChainCall& call);

// row_math.cuh and generated_support.cuh, which the source begins with: made by ci/cmake/embed_text.cmake.
const char* chain_support();

}  // namespace graphbench::cuda
