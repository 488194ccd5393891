// Extents, sizes and error codes.
#include "graphs/ir/types.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string_view>

#include "graphs/base/error.hpp"

namespace graphbench::ir {
namespace {

TEST(Dim, GrowsWithTheBatch) {
  EXPECT_EQ(of_batch(128).at(3), 384);
  EXPECT_EQ(fixed_dim(7).at(1000), 7);
  EXPECT_EQ((Dim{2, 1}).at(4), 9);
}

TEST(Dim, RefusesOverflowAndEmptiness) {
  EXPECT_THROW(of_batch(1000).at(std::numeric_limits<std::int64_t>::max() / 10), Error);
  EXPECT_THROW((Dim{1, std::numeric_limits<std::int64_t>::max()}).at(1), Error);
  EXPECT_THROW((Dim{1, -5}).at(5), Error);
}

TEST(TensorDesc, CountsBytes) {
  EXPECT_EQ((TensorDesc{DType::bf16, {8, 1024}}).bytes(), 16384u);
  EXPECT_EQ((TensorDesc{DType::fp32, {3}}).bytes(), 12u);
}

TEST(TensorDesc, RefusesMoreElementsThanFit) {
  const std::int64_t big = std::int64_t{1} << 40;
  EXPECT_THROW((TensorDesc{DType::fp32, {big, big}}).elements(), Error);
  EXPECT_THROW((TensorDesc{DType::fp32, {std::int64_t{1} << 62}}).bytes(), Error);
}

TEST(DTypeNames, RoundTrip) {
  for (const DType dtype : {DType::fp32, DType::fp16, DType::bf16, DType::i32})
    EXPECT_EQ(parse_dtype(name_of(dtype)), dtype);
  EXPECT_FALSE(parse_dtype("float32").has_value());
}

TEST(ErrorCodes, EachHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(ErrorCode::internal); ++i)
    names.insert(name_of(static_cast<ErrorCode>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(ErrorCode::internal) + 1);
  EXPECT_EQ(name_of(ErrorCode::capture_unjoined), "capture_unjoined");
}

}  // namespace
}  // namespace graphbench::ir
