// The loops behind fill and digest.
#include "graphs/host/fill.hpp"

#include <cstring>

#include "graphs/base/error.hpp"
#include "graphs/host/bfloat16.hpp"
#include "graphs/ir/random_fill.hpp"

namespace graphbench::host {
namespace {

// `Convert` turns the fp32 value into an element.
template <typename T, typename Convert>
void fill_elements(const FillRequest& request, const Convert& convert) {
  T* data = static_cast<T*>(request.destination);
  const auto low = static_cast<float>(request.init.low);
  const auto high = static_cast<float>(request.init.high);
  if (request.init.kind == ir::Init::Kind::constant) {
    const T element = convert(low);
    for (std::size_t i = 0; i < request.elements; ++i) data[i] = element;
    return;
  }
  for (std::size_t i = 0; i < request.elements; ++i)
    data[i] = convert(ir::uniform_at(request.seed, i, low, high));
}

}  // namespace

void run_fill(const FillRequest& request) {
  switch (request.dtype) {
    case ir::DType::fp32:
      return fill_elements<float>(request, from_float<float>);
    case ir::DType::bf16:
      return fill_elements<BFloat16>(request, from_float<BFloat16>);
    case ir::DType::i32:
      // Towards zero, as a cast does everywhere.
      return fill_elements<std::int32_t>(request,
                                         [](float value) { return static_cast<std::int32_t>(value); });
    case ir::DType::fp16:
      break;
  }
  throw Error(ErrorCode::unsupported,
              "fill on host: no support for dtype " + std::string(name_of(request.dtype)));
}

std::uint64_t digest_of(const void* source, std::size_t bytes) {
  const auto* data = static_cast<const unsigned char*>(source);
  std::uint64_t digest = 0;
  for (std::size_t i = 0; i < bytes / 4; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, data + 4 * i, 4);
    digest += ir::digest_word(i, word);
  }
  return digest;
}

}  // namespace graphbench::host
