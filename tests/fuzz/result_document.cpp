// libFuzzer target: our own result documents, whatever the bytes.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/hold_document.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  graphbench::fuzz::hold(graphbench::compare::parse_document, data, size);
  return 0;
}
