// Computes sizes, names and extents. Checks every product for overflow, because users choose the batch.
#include "graphs/ir/types.hpp"

#include <array>
#include <utility>

#include "graphs/base/error.hpp"

namespace graphbench::ir {
namespace {

constexpr std::array<std::pair<DType, std::string_view>, 4> dtype_names{
    {{DType::fp32, "fp32"}, {DType::fp16, "fp16"}, {DType::bf16, "bf16"}, {DType::i32, "i32"}}};

std::string extent_text(const Dim& dim) {
  if (dim.per_batch == 0) return std::to_string(dim.fixed);
  std::string text = "batch";
  if (dim.per_batch != 1) text.append("*").append(std::to_string(dim.per_batch));
  if (dim.fixed != 0) text.append("+").append(std::to_string(dim.fixed));
  return text;
}

}  // namespace

std::size_t size_of(DType dtype) noexcept {
  return dtype == DType::fp32 || dtype == DType::i32 ? 4 : 2;
}

std::string_view name_of(DType dtype) noexcept {
  return dtype_names.at(static_cast<std::size_t>(dtype)).second;
}

std::optional<DType> parse_dtype(std::string_view name) noexcept {
  for (const auto& [dtype, known] : dtype_names) {
    if (known == name) return dtype;
  }
  return std::nullopt;
}

std::int64_t Dim::at(std::int64_t batch) const {
  std::int64_t scaled = 0;
  std::int64_t extent = 0;
  if (__builtin_mul_overflow(per_batch, batch, &scaled) || __builtin_add_overflow(scaled, fixed, &extent)) {
    throw Error(ErrorCode::invalid_argument,
                "shape: extent " + extent_text(*this) + " overflows at batch " + std::to_string(batch));
  }
  if (extent <= 0) {
    throw Error(ErrorCode::invalid_argument, "shape: extent " + extent_text(*this) + " is " +
                                                 std::to_string(extent) + " at batch " +
                                                 std::to_string(batch) + ", but must be positive");
  }
  return extent;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (const Dim& dim : shape) {
    if (text.size() > 1) text += ", ";
    text += extent_text(dim);
  }
  return text + "]";
}

std::int64_t TensorDesc::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t dim : dims) {
    if (__builtin_mul_overflow(product, dim, &product)) {
      throw Error(ErrorCode::invalid_argument, "shape: " + to_string(*this) + " has too many elements");
    }
  }
  return product;
}

std::size_t TensorDesc::bytes() const {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(elements(), static_cast<std::int64_t>(size_of(dtype)), &product)) {
    throw Error(ErrorCode::invalid_argument, "shape: " + to_string(*this) + " has too many bytes");
  }
  return static_cast<std::size_t>(product);
}

std::string to_string(const TensorDesc& desc) {
  std::string text{name_of(desc.dtype)};
  text += "[";
  for (std::size_t i = 0; i < desc.dims.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(desc.dims[i]);
  }
  return text + "]";
}

TensorDesc resolve(DType dtype, const Shape& shape, std::int64_t batch) {
  TensorDesc desc;
  desc.dtype = dtype;
  desc.dims.reserve(shape.size());
  for (const Dim& dim : shape) desc.dims.push_back(dim.at(batch));
  return desc;
}

}  // namespace graphbench::ir
