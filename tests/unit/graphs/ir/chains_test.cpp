// Which ops are a chain, and what of them is stored.
#include "graphs/ir/chains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphbench::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ChainsTest : public ::testing::Test {
 protected:
  ValueId op(const char* kind, const char* name, std::vector<ValueId> inputs) {
    return b_.op(kind, name, std::move(inputs), {})[0];
  }
  std::vector<Chain> found(const std::vector<std::string>& split_kinds = {}) {
    program_ = b_.finish();
    return chains(program_, partition(program_, split_kinds));
  }

  OpCatalog catalog_;
  ProgramBuilder b_{"p", catalog_};
  ValueId x_ = b_.value(ValueKind::input, "x", DType::fp32, {of_batch(), fixed_dim(12)}, {});
  ValueId gamma_ = b_.value(ValueKind::weight, "gamma", DType::fp32, {fixed_dim(12)}, {});
  ValueId w_ = b_.value(ValueKind::weight, "w", DType::fp32, {fixed_dim(12), fixed_dim(12)}, {});
  Program program_;
};

TEST_F(ChainsTest, OnlyWhatOthersReadIsWritten) {
  const ValueId product = op("linear", "product", {x_, w_});
  const ValueId bias = op("bias_add", "bias", {product, gamma_});
  const ValueId sum = op("add", "sum", {bias, x_});
  const ValueId norm = op("rmsnorm", "norm", {sum, gamma_});
  const ValueId next = op("linear", "next", {norm, w_});
  b_.mark_output(op("softmax", "last", {next}));
  b_.mark_output(sum);
  const std::vector<Chain> found = ChainsTest::found();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].ops, ElementsAre(1, 2, 3));
  EXPECT_THAT(found[0].read, ElementsAre(product, gamma_, x_));
  EXPECT_THAT(found[0].written, ElementsAre(sum, norm));
  EXPECT_THAT(found[0].inside, ElementsAre(bias));
}

TEST_F(ChainsTest, ALaterReaderBehindTheChainHasTheValueWritten) {
  const ValueId a = op("relu", "a", {x_});
  const ValueId c = op("gelu_tanh", "c", {a});
  const ValueId soft = op("softmax", "soft", {c});
  b_.mark_output(op("add", "end", {soft, a}));
  const std::vector<Chain> found = ChainsTest::found();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].written, ElementsAre(a, c));
  EXPECT_THAT(found[0].inside, IsEmpty());
}

TEST_F(ChainsTest, NeighboursThatReadNothingOfEachOtherAreNone) {
  b_.mark_output(op("relu", "a", {x_}));
  b_.mark_output(op("gelu_tanh", "c", {x_}));
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(ChainsTest, AChainEndsWhereAPieceDoesAndRunsAcrossOtherMarkers) {
  const ValueId a = op("relu", "a", {x_});
  b_.op("boundary", "boundary", {}, {});
  b_.mark_output(op("gelu_tanh", "c", {a}));
  const Program program = b_.finish();
  EXPECT_THAT(chains(program, partition(program, {"boundary"})), IsEmpty());
  EXPECT_THAT(chains(program, partition(program, {"relu"})), IsEmpty());
  const std::vector<Chain> across = chains(program, partition(program, {}));
  ASSERT_THAT(across, SizeIs(1));
  EXPECT_THAT(across[0].ops, ElementsAre(0, 2));
}

TEST_F(ChainsTest, OfOneOpIsEachThatCouldBeInALongerOne) {
  const ValueId product = op("linear", "product", {x_, w_});
  const ValueId sum = op("add", "sum", {product, product});
  const ValueId norm = op("rmsnorm", "norm", {sum, gamma_});
  b_.mark_output(op("softmax", "last", {norm}));
  const Program program = b_.finish();
  const std::vector<Chain> found = chains_of_one(program);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_THAT(found[0].ops, ElementsAre(1));
  EXPECT_THAT(found[0].read, ElementsAre(product));
  EXPECT_THAT(found[0].written, ElementsAre(sum));
  EXPECT_THAT(found[1].read, ElementsAre(sum, gamma_));
  EXPECT_THAT(found[1].inside, IsEmpty());
}

TEST_F(ChainsTest, RopeEndsRowsAndWritesAllItMakes) {
  const ValueId a = op("relu", "a", {x_});
  const std::vector<ValueId> heads =
      b_.op("rope", "rope", {a}, {{"heads", std::int64_t{1}}, {"head_dim", std::int64_t{4}}});
  b_.mark_output(op("relu", "q", {heads[0]}));
  for (const std::size_t i : {1u, 2u}) b_.mark_output(heads[i]);
  const std::vector<Chain> found = ChainsTest::found();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].ops, ElementsAre(0, 1));
  EXPECT_EQ(found[0].written, heads);
}

}  // namespace
}  // namespace graphbench::ir
