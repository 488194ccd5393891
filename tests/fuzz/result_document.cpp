// libFuzzer target: any bytes are a document, equal to itself when compared, or refused with one line.
#include <iterator>
#include <utility>

#include "harness/judge/compare/compare.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "tests/fuzz/target.hpp"

namespace graphbench::fuzz {
namespace {

void compare_with_itself(model::Document document) {
  const std::size_t cells = document.cells.size();
  const judge::Side side = judge::merge("fuzz", {std::move(document)});
  const model::Comparison comparison = judge::compare(side, side, {});
  expect(comparison.comparable && comparison.cells.size() == cells);
  expect(comparison.counts.slower == 0 && comparison.counts.faster == 0);
  expect(comparison.counts.coverage_regressions == 0);
}

// Checks that each range which a merge would copy is within the text, and is the cell that was read.
void hold_in_parts(std::string_view bytes) {
  std::string text(bytes);
  text.append(model::text_padding, '\0');
  try {
    for (const auto& cell : model::read_parts({text.data(), bytes.size()}, "fuzz").cells) {
      expect(cell.bytes >= 2 && cell.begin + cell.bytes <= bytes.size());
      expect(text[cell.begin] == '{' && text[cell.begin + cell.bytes - 1] == '}');
      const auto again = model::read_cell(text.substr(cell.begin, cell.bytes), "fuzz");
      expect(again.status == cell.evidence.status);
      expect(again.launches.size() == cell.evidence.launches.size());
    }
  } catch (const InputError&) {
  }
}

}  // namespace

void hold(std::string_view bytes) {
  // On the heap with exactly the padding that the parser needs: AddressSanitizer finds a read after it.
  std::string text(bytes);
  text.append(model::text_padding, '\0');
  try {
    compare_with_itself(model::parse_document({text.data(), bytes.size()}, "fuzz"));
  } catch (const InputError& error) {
    expect(std::string_view(error.what()).starts_with("fuzz: ") && is_one_line(error.what()));
  }
  hold_in_parts(bytes);
}

}  // namespace graphbench::fuzz
