// libFuzzer target: any text is a canary's document that can be compared, or is refused on one line.
#include "harness/canary/document.hpp"
#include "harness/canary/judge.hpp"
#include "tests/fuzz/target.hpp"

void graphbench::fuzz::hold(std::string_view bytes) {
  try {
    const canary::Canary base = canary::read_canary(bytes, "input");
    canary::Canary now = base;
    canary::compare(base, now, 2);
    expect(!now.sentence.empty());
  } catch (const InputError& error) {
    expect(is_one_line(error.what()));
  }
}
