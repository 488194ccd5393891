// libFuzzer target: other tools' documents, read as what they are told to be and as either format.
#include <cstddef>
#include <cstdint>

#include "harness/verdict/foreign/foreign_documents.hpp"
#include "tests/fuzz/hold_document.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphbench;
  fuzz::hold(compare::parse_any_document, data, size);
  fuzz::hold(compare::parse_google_benchmark, data, size);
  fuzz::hold(compare::parse_nvbench, data, size);
  return 0;
}
