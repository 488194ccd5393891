// libFuzzer target: our own result documents, whatever the bytes, whole and in windows.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "harness/codec/document_file.hpp"
#include "harness/codec/documents.hpp"
#include "tests/fuzz/hold_document.hpp"

namespace {

using graphbench::codec::Document;

// What windows make of a text is what reading it whole makes of it, or nothing.
void hold_in_windows(const std::uint8_t* data, std::size_t size, std::size_t window, std::size_t threads) {
  std::size_t at = 0;
  const auto read = [&](char* to, std::size_t bytes) {
    const std::size_t count = std::min(bytes, size - at);
    if (count > 0) std::memcpy(to, data + at, count);
    at += count;
    return count;
  };
  const std::optional<Document> parts = graphbench::codec::parse_in_windows(read, "fuzz", window, threads);
  if (!parts) return;
  std::string text(reinterpret_cast<const char*>(data), size);
  text.append(graphbench::codec::text_padding, '\0');
  graphbench::fuzz::expect(graphbench::codec::parse_document({text.data(), size}, "fuzz") == *parts);
}

// What a merge copies lies within the text, and is an object.
void hold_in_parts(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  text.append(graphbench::codec::text_padding, '\0');
  try {
    for (const auto& cell : graphbench::codec::read_parts({text.data(), size}, "fuzz").cells) {
      graphbench::fuzz::expect(cell.bytes >= 2 && cell.begin + cell.bytes <= size);
      graphbench::fuzz::expect(text[cell.begin] == '{' && text[cell.begin + cell.bytes - 1] == '}');
    }
  } catch (const graphbench::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  graphbench::fuzz::hold(graphbench::codec::parse_document, data, size);
  hold_in_windows(data, size, 128, 1);
  hold_in_windows(data, size, 1024, 2);
  hold_in_parts(data, size);
  return 0;
}
