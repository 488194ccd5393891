// libFuzzer target: our own result documents, whatever the bytes.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "harness/model/codec/documents.hpp"
#include "tests/fuzz/hold_document.hpp"

namespace {

// What a merge copies lies within the text, and is the cell that was read.
void hold_in_parts(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  text.append(graphbench::codec::text_padding, '\0');
  try {
    for (const auto& cell : graphbench::codec::read_parts({text.data(), size}, "fuzz").cells) {
      graphbench::fuzz::expect(cell.bytes >= 2 && cell.begin + cell.bytes <= size);
      graphbench::fuzz::expect(text[cell.begin] == '{' && text[cell.begin + cell.bytes - 1] == '}');
      const auto again = graphbench::codec::read_cell(text.substr(cell.begin, cell.bytes), "fuzz");
      graphbench::fuzz::expect(again.status == cell.status);
      graphbench::fuzz::expect(std::ssize(again.launches) == cell.launches);
    }
  } catch (const graphbench::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  graphbench::fuzz::hold(graphbench::codec::parse_document, data, size);
  hold_in_parts(data, size);
  return 0;
}
