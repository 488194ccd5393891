// libFuzzer target: whatever the bytes, reading them as a result document ends with a document or with
// one line that says why not; and what was read compares with itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "harness/compare/compare.hpp"
#include "harness/compare/parse_document.hpp"
#include "harness/config/input_error.hpp"

namespace {

// Not assert(): it must hold in every build.
void expect(bool held) {
  if (!held) std::abort();
}

void compare_with_itself(graphbench::compare::Document document) {
  using namespace graphbench;
  const std::size_t cells = document.cells.size();
  const compare::Side side = compare::merge("fuzz", {std::move(document)});
  const model::Comparison comparison = compare::compare(side, side, {});
  expect(comparison.comparable && comparison.cells.size() == cells);
  expect(comparison.counts.slower == 0 && comparison.counts.faster == 0);
  expect(comparison.counts.coverage_regressions == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A heap copy with the padding the parser asks for and not a byte more, so that AddressSanitizer sees
  // a read beyond it.
  std::string text(reinterpret_cast<const char*>(data), size);
  text.append(graphbench::compare::text_padding, '\0');
  try {
    compare_with_itself(graphbench::compare::parse_document({text.data(), size}, "fuzz"));
  } catch (const graphbench::config::InputError& error) {
    const std::string_view line = error.what();
    expect(line.starts_with("fuzz: ") && line.find('\n') == std::string_view::npos);
  }
  return 0;
}
