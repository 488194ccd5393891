// Attention against its definition in graphs/ir/OPS.md, computed in fp64 on the host: as the tuner chooses,
// with our kernels, and with cuDNN's wherever it has one, faster or not.
#include <cmath>

#include "gpu_fixture.hpp"

namespace graphbench::cuda {
namespace {

using ir::DType;

struct SdpaCase {
  std::int64_t batch, heads, tokens, dim, slots;
  bool causal;
};

OpCase op_of(const SdpaCase& c, DType dtype) {
  return {"sdpa",
          {{"causal", std::int64_t{c.causal}}},
          {random_tensor(dtype, {c.batch, c.heads, c.tokens, c.dim}, 1, -2, 2),
           random_tensor(dtype, {c.batch, c.heads, c.slots, c.dim}, 2, -2, 2),
           random_tensor(dtype, {c.batch, c.heads, c.slots, c.dim}, 3)},
          {{dtype, {c.batch * c.tokens, c.heads * c.dim}}}};
}

std::vector<double> attended(const OpCase& op, const SdpaCase& c) {
  std::vector<double> expected(static_cast<std::size_t>(c.batch * c.tokens * c.heads * c.dim));
  for (std::int64_t row = 0; row < c.batch * c.heads * c.tokens; ++row) {
    const std::int64_t t = row % c.tokens, head_row = row / c.tokens;
    const std::int64_t visible = c.causal ? c.slots - c.tokens + t + 1 : c.slots;
    const double* q = op.inputs[0].values.data() + row * c.dim;
    std::vector<double> weight;
    double total = 0.0;
    for (std::int64_t j = 0; j < visible; ++j) {
      const double* k = op.inputs[1].values.data() + (head_row * c.slots + j) * c.dim;
      double dot = 0.0;
      for (std::int64_t d = 0; d < c.dim; ++d) dot += q[d] * k[d];
      weight.push_back(std::exp(dot / std::sqrt(static_cast<double>(c.dim))));
      total += weight.back();
    }
    double* out =
        expected.data() + ((head_row / c.heads * c.tokens + t) * c.heads + head_row % c.heads) * c.dim;
    for (std::int64_t j = 0; j < visible; ++j) {
      const double* v = op.inputs[2].values.data() + (head_row * c.slots + j) * c.dim;
      for (std::int64_t d = 0; d < c.dim; ++d) out[d] += weight[static_cast<std::size_t>(j)] / total * v[d];
    }
  }
  return expected;
}

class SdpaTest : public GpuTest, public ::testing::WithParamInterface<DType> {
 protected:
  void expect_close(const OpResult& actual, const std::vector<double>& expected) {
    EXPECT_LE(relative_error(actual.operands[3], expected), tolerance(GetParam())) << actual.path.name;
  }
};

TEST_P(SdpaTest, MatchesItsDefinitionWithAndWithoutCudnn) {
  CudaDevice plain(0, CudaDeviceOptions{.use_cudnn = false, .tuning = TuningSettings{}});
  TuningSettings wanted;
  wanted.prefer = "cuDNN";
  CudaDevice fused(0, CudaDeviceOptions{.use_cudnn = true, .tuning = wanted});
  std::size_t fused_count = 0;
  const SdpaCase cases[] = {
      {1, 2, 1, 64, 1024, false}, {5, 3, 1, 64, 100, false},  {200, 2, 1, 16, 33, true},
      {2, 2, 70, 64, 70, true},   {1, 2, 130, 64, 200, true}, {2, 1, 20, 128, 77, false},
      {2, 2, 16, 16, 16, true},   {1, 1, 3, 96, 50, true},    {1, 2, 128, 64, 128, true},
      {3, 2, 100, 40, 100, true}, {2, 1, 1, 128, 65, true},   {2, 2, 67, 72, 131, false},
      {2, 3, 2, 64, 300, true},   {1, 2, 5, 128, 1100, true}, {1, 3, 257, 64, 257, true},
      {2, 2, 64, 64, 1300, false}};
  for (const SdpaCase& c : cases) {
    SCOPED_TRACE("tokens " + std::to_string(c.tokens) + " dim " + std::to_string(c.dim) + " slots " +
                 std::to_string(c.slots));
    const OpCase op = op_of(c, GetParam());
    const std::vector<double> expected = attended(op, c);
    expect_close(run(op), expected);
    const OpResult without = run(op, plain);
    expect_close(without, expected);
    EXPECT_NE(without.path.name, "sdpa:cudnn");
    const OpResult with = run(op, fused);
    expect_close(with, expected);
    if (with.path.name == "sdpa:cudnn") ++fused_count;
    EXPECT_EQ(with.bytes, run(op, fused).bytes);
  }
  if (GetParam() == DType::fp32) {
    EXPECT_EQ(fused_count, 0u);
  } else if (fused.info().libraries.at("cudnn").compare(0, 2, "9.") == 0) {
    EXPECT_GT(fused_count, 0u) << "cuDNN took no shape at all";
  }
}

INSTANTIATE_TEST_SUITE_P(EveryDtype, SdpaTest, ::testing::Values(DType::fp32, DType::bf16, DType::fp16),
                         [](const auto& type) { return std::string(ir::name_of(type.param)); });

}  // namespace
}  // namespace graphbench::cuda
