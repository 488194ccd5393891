// libFuzzer target: any text is a program, written again with the same bytes, or refused by a line's number.
#include "graphs/ir/text.hpp"
#include "tests/fuzz/target.hpp"

void graphbench::fuzz::hold(std::string_view text) {
  static const ir::OpCatalog catalog;
  try {
    expect(ir::write_program(ir::read_program(text, catalog)) == text);
  } catch (const Error& error) {
    const std::string_view why = error.what();
    expect(why.starts_with("line ") || why.starts_with("value ") || why.starts_with("program "));
  }
}
