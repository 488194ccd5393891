// What every reader of documents is held to: whatever the bytes, it ends with a document that compares
// with itself, or with one line that says why not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/judge/compare/compare.hpp"
#include "harness/model/codec/parse_document.hpp"

namespace graphbench::fuzz {

// Not assert(): it must hold in every build.
inline void expect(bool held) {
  if (!held) std::abort();
}

inline void compare_with_itself(codec::Document document) {
  const std::size_t cells = document.cells.size();
  const compare::Side side = compare::merge("fuzz", {std::move(document)});
  const model::Comparison comparison = compare::compare(side, side, {});
  expect(comparison.comparable && comparison.cells.size() == cells);
  expect(comparison.counts.slower == 0 && comparison.counts.faster == 0);
  expect(comparison.counts.coverage_regressions == 0);
}

using Parse = codec::Document (*)(std::string_view text, const std::string& source);

inline void hold(Parse parse, const std::uint8_t* data, std::size_t size) {
  // A heap copy with the padding the parser asks for and not a byte more, so that AddressSanitizer sees
  // a read beyond it.
  std::string text(reinterpret_cast<const char*>(data), size);
  text.append(codec::text_padding, '\0');
  try {
    compare_with_itself(parse({text.data(), size}, "fuzz"));
  } catch (const InputError& error) {
    const std::string_view line = error.what();
    expect(line.starts_with("fuzz: ") && line.find('\n') == std::string_view::npos);
  }
}

}  // namespace graphbench::fuzz
