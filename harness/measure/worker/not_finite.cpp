// Checks the bits, because converting outputs of a hundred million elements to fp32 takes long.
#include "harness/measure/worker/not_finite.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace graphbench::worker {
namespace {

template <typename Word>
std::optional<std::size_t> first_with(Word exponent, const std::vector<std::byte>& bytes) {
  const std::size_t count = bytes.size() / sizeof(Word);
  constexpr std::size_t block = 4096;  // elements; the inner loop has no branch, so compilers vectorise it
  for (std::size_t begin = 0; begin < count; begin += block) {
    Word words[block];
    const std::size_t here = std::min(block, count - begin);
    std::memcpy(words, bytes.data() + begin * sizeof(Word), here * sizeof(Word));
    std::size_t bad = 0;
    for (std::size_t i = 0; i < here; ++i) bad |= (words[i] & exponent) == exponent ? 1u : 0u;
    if (bad == 0) continue;
    const Word* const found =
        std::find_if(words, words + here, [&](Word word) { return (word & exponent) == exponent; });
    return begin + static_cast<std::size_t>(found - words);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> first_not_finite(ir::DType dtype, const std::vector<std::byte>& bytes) {
  switch (dtype) {
    case ir::DType::fp32:
      return first_with<std::uint32_t>(0x7F800000u, bytes);
    case ir::DType::fp16:
      return first_with<std::uint16_t>(0x7C00u, bytes);
    case ir::DType::bf16:
      return first_with<std::uint16_t>(0x7F80u, bytes);
    case ir::DType::i32:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace graphbench::worker
