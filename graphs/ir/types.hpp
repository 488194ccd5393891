// Element types, shapes as functions of the batch, and the type and shape of a value at one batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphbench::ir {

enum class DType : std::uint8_t { fp32 = 0, fp16 = 1, bf16 = 2, i32 = 3 };

std::size_t size_of(DType dtype) noexcept;
std::string_view name_of(DType dtype) noexcept;
std::optional<DType> parse_dtype(std::string_view name) noexcept;

// One extent of a shape: `per_batch * batch + fixed`.
struct Dim {
  std::int64_t per_batch = 0;
  std::int64_t fixed = 0;
  // Throws Error(invalid_argument) if the extent overflows or is not positive.
  std::int64_t at(std::int64_t batch) const;
  friend bool operator==(const Dim&, const Dim&) = default;
};

inline Dim of_batch(std::int64_t multiple = 1) {
  return Dim{multiple, 0};
}
inline Dim fixed_dim(std::int64_t extent) {
  return Dim{0, extent};
}

using Shape = std::vector<Dim>;             // outermost first, row-major, contiguous
std::string to_string(const Shape& shape);  // "[batch*128, 1024]"

struct TensorDesc {
  DType dtype = DType::fp32;
  std::vector<std::int64_t> dims;

  std::int64_t elements() const;  // throws Error(invalid_argument) on overflow
  std::size_t bytes() const;      // throws Error(invalid_argument) on overflow
  friend bool operator==(const TensorDesc&, const TensorDesc&) = default;
};

std::string to_string(const TensorDesc& desc);  // "bf16[8, 1024]"

TensorDesc resolve(DType dtype, const Shape& shape, std::int64_t batch);

}  // namespace graphbench::ir
