// Which shapes cuDNN is asked for, by version; no GPU and no cuDNN is needed to ask.
#include <gtest/gtest.h>

#include "graphs/cuda/ops/sdpa.hpp"

namespace graphbench::cuda {
namespace {

constexpr std::size_t sound_version = 91900;

// Prefill of four sequences of 128 tokens, but for what a test says of it.
struct Asked {
  ir::DType dtype = ir::DType::bf16;
  std::int64_t tokens = 128, head_dim = 64, slots = 128;
  bool causal = true;
};

bool takes(const Asked& asked, std::size_t version = sound_version) {
  SdpaShape shape;
  shape.batch = 4;
  shape.heads = 16;
  shape.tokens = asked.tokens;
  shape.head_dim = asked.head_dim;
  shape.slots = asked.slots;
  shape.causal = asked.causal;
  shape.dtype = asked.dtype;
  return cudnn_takes_sdpa(version, shape);
}

TEST(SdpaRulesTest, CudnnIsAskedForPrefillInSixteenBitsWithHeadsThatItHas) {
  EXPECT_TRUE(takes({}));
  EXPECT_TRUE(takes({.dtype = ir::DType::fp16}));
  EXPECT_FALSE(takes({.dtype = ir::DType::fp32}));
  EXPECT_FALSE(takes({.tokens = 1}));
  EXPECT_FALSE(takes({.head_dim = 36}));
  EXPECT_FALSE(takes({.head_dim = 256}));
  EXPECT_TRUE(takes({.head_dim = 40}));
}

TEST(SdpaRulesTest, VersionsKnownToBeBrokenAreNotAsked) {
  EXPECT_FALSE(takes({}, 91000));
  EXPECT_FALSE(takes({}, 91001));
  EXPECT_TRUE(takes({}, 91002));
  EXPECT_FALSE(takes({.slots = 200}, 90501)) << "a shifted mask";
  EXPECT_TRUE(takes({.slots = 200}, 90600));
  EXPECT_TRUE(takes({.slots = 200, .causal = false}, 90501));
  EXPECT_TRUE(takes({.slots = 1025, .causal = false}, 91200));
  EXPECT_FALSE(takes({.slots = 1025, .causal = false}, 91300));
  EXPECT_FALSE(takes({.slots = 1025, .causal = false}, 91400));
  EXPECT_TRUE(takes({.slots = 1025, .causal = false}, 91500));
  EXPECT_TRUE(takes({.slots = 1024, .causal = false}, 91400));
}

}  // namespace
}  // namespace graphbench::cuda
