// libFuzzer target: whatever a program's text holds, it is a program that is written the same again, or
// refused with its line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "graphs/base/error.hpp"
#include "graphs/ir/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphbench;
  static const ir::OpCatalog catalog;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    if (ir::write_program(ir::read_program(text, catalog)) != text) std::abort();
  } catch (const Error& error) {
    if (!std::string_view(error.what()).starts_with("line ") &&
        !std::string_view(error.what()).starts_with("value ") &&
        !std::string_view(error.what()).starts_with("program "))
      std::abort();
  }
  return 0;
}
