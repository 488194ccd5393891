// Which shapes cuDNN is asked for, by version; no GPU and no cuDNN is needed to ask.
#include <gtest/gtest.h>

#include "graphs/cuda/ops/sdpa.hpp"

namespace graphbench::cuda {
namespace {

constexpr std::size_t sound_version = 91900;

SdpaShape prefill() {
  SdpaShape shape;
  shape.batch = 4;
  shape.heads = 16;
  shape.tokens = 128;
  shape.head_dim = 64;
  shape.slots = 128;
  shape.causal = true;
  shape.dtype = ir::DType::bf16;
  return shape;
}

TEST(SdpaRulesTest, CudnnIsAskedForPrefillInSixteenBits) {
  SdpaShape shape = prefill();
  EXPECT_TRUE(cudnn_takes_sdpa(sound_version, shape));
  shape.dtype = ir::DType::fp16;
  EXPECT_TRUE(cudnn_takes_sdpa(sound_version, shape));
  shape.dtype = ir::DType::fp32;
  EXPECT_FALSE(cudnn_takes_sdpa(sound_version, shape));
}

TEST(SdpaRulesTest, CudnnIsNotAskedForDecodingOrForOddHeads) {
  SdpaShape shape = prefill();
  shape.tokens = 1;
  EXPECT_FALSE(cudnn_takes_sdpa(sound_version, shape));
  shape = prefill();
  shape.head_dim = 36;
  EXPECT_FALSE(cudnn_takes_sdpa(sound_version, shape));
  shape.head_dim = 256;
  EXPECT_FALSE(cudnn_takes_sdpa(sound_version, shape));
  shape.head_dim = 40;
  EXPECT_TRUE(cudnn_takes_sdpa(sound_version, shape));
}

TEST(SdpaRulesTest, VersionsKnownToBeBrokenAreNotAsked) {
  SdpaShape shape = prefill();
  EXPECT_FALSE(cudnn_takes_sdpa(91000, shape));
  EXPECT_FALSE(cudnn_takes_sdpa(91001, shape));
  EXPECT_TRUE(cudnn_takes_sdpa(91002, shape));
  shape.slots = 200;  // a shifted mask
  EXPECT_FALSE(cudnn_takes_sdpa(90501, shape));
  EXPECT_TRUE(cudnn_takes_sdpa(90600, shape));
  shape.causal = false;
  EXPECT_TRUE(cudnn_takes_sdpa(90501, shape));
  shape.slots = 1025;
  EXPECT_TRUE(cudnn_takes_sdpa(91200, shape));
  EXPECT_FALSE(cudnn_takes_sdpa(91300, shape));
  EXPECT_FALSE(cudnn_takes_sdpa(91400, shape));
  EXPECT_TRUE(cudnn_takes_sdpa(91500, shape));
  shape.slots = 1024;
  EXPECT_TRUE(cudnn_takes_sdpa(91400, shape));
}

}  // namespace
}  // namespace graphbench::cuda
