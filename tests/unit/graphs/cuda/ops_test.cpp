// Tests properties of the CUDA backend's ops that are not in the op's definition (tests/conformance checks
// that). Compares attention with fp64 on the host: as the tuner chooses, with our kernels and with cuDNN's.
// Checks that prefill with cuDNN gives the same bits in every mode, for several batches in one pool.
#include <algorithm>
#include <cmath>
#include <map>

#include "gpu_fixture.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::cuda {
namespace {

using ir::DType;

using OpTest = GpuTest;

OpCase convolution() {
  return {"conv2d",
          {{"padding", std::int64_t{1}}},
          {random_tensor(DType::fp16, {1, 8, 8, 16}, 1), random_tensor(DType::fp16, {16, 3, 3, 16}, 2)},
          {{DType::fp16, {1, 8, 8, 16}}}};
}

TEST_F(OpTest, AConvolutionWithoutCudnnSaysHowItRuns) {
  CudaDevice plain(0, CudaDeviceOptions{.use_cudnn = false, .tuning = TuningSettings{}});
  const KernelPath path = run(convolution(), plain).path;
  EXPECT_EQ(path.name, "conv2d:im2col");
  EXPECT_FALSE(path.fallback.empty());
}

// Ops of one shape share a library's plan, and the plan keeps descriptors for a bounded number of addresses.
TEST_F(OpTest, AConvolutionFindsItsAddressesAgainHoweverManyOthersOfItsShapeHadSince) {
  constexpr std::int64_t others = 200;
  const OpCase conv = convolution();
  ir::Op first_op;
  ir::Op second_op;
  const std::unique_ptr<Kernel> first = device().make_kernel(describe(conv, first_op));
  const std::unique_ptr<Kernel> second = device().make_kernel(describe(conv, second_op));
  const std::unique_ptr<Stream> stream = device().make_stream();
  const std::size_t y_bytes = conv.outputs[0].bytes();
  Buffer x(device(), conv.inputs[0].desc.bytes());
  Buffer w(device(), conv.inputs[1].desc.bytes());
  Buffer y(device(), y_bytes * (1 + others));
  const auto y_of = [&](std::int64_t i) { return static_cast<std::byte*>(y.data()) + i * y_bytes; };
  const auto launch = [&](Kernel& kernel, std::int64_t i) {
    void* operands[] = {x.data(), w.data(), y_of(i)};
    kernel.launch(*stream, operands);
  };
  for (const auto& [to, tensor] : {std::pair{&x, &conv.inputs[0]}, std::pair{&w, &conv.inputs[1]}}) {
    const test::Bytes bytes = encode(*tensor);
    stream->copy_to_device(to->data(), bytes.data(), bytes.size());
    stream->synchronize();
  }
  launch(*first, 0);
  for (std::int64_t i = 1; i <= others; ++i) launch(*second, i);
  stream->fill_bytes(y_of(0), 0xff, y_bytes);
  launch(*first, 0);
  test::Bytes bytes(y_bytes * (1 + others));
  stream->copy_to_host(bytes.data(), y.data(), bytes.size());
  stream->synchronize();
  const auto begin = bytes.begin();
  for (std::int64_t i = 1; i <= others; ++i) {
    ASSERT_TRUE(std::equal(begin, begin + static_cast<std::ptrdiff_t>(y_bytes),
                           begin + i * static_cast<std::ptrdiff_t>(y_bytes)))
        << i;
  }
}

TEST_F(OpTest, AHeadDimensionWithoutAKernelIsRefusedByName) {
  const OpCase op{"sdpa",
                  {},
                  {random_tensor(DType::fp16, {1, 1, 1, 20}, 1), random_tensor(DType::fp16, {1, 1, 4, 20}, 2),
                   random_tensor(DType::fp16, {1, 1, 4, 20}, 3)},
                  {{DType::fp16, {1, 20}}}};
  const Error error = test::error_of([&] { run(op); });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_NE(std::string(error.what()).find("head_dim 20"), std::string::npos) << error.what();
}

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

constexpr std::int64_t ladder[] = {5, 3, 1};  // the largest first, as serving engines capture
constexpr std::int64_t tokens = 33;
constexpr std::int64_t slots = 80;
constexpr std::int64_t heads = 2;
constexpr int layers = 2;
constexpr std::int64_t head_dim = 64;
constexpr std::int64_t hidden = heads * head_dim;

ir::Program make_prefill(const ir::OpCatalog& catalog) {
  test::SmallBuilder b(catalog, ir::DType::bf16);
  const ir::Shape cache = test::batched({heads, slots, head_dim});
  ir::ValueId x = b.input("x", {ir::of_batch(tokens), ir::fixed_dim(hidden)});
  const ir::ValueId positions = b.integers("positions", test::batched({}),
                                           {ir::Init::Kind::constant, static_cast<double>(slots - tokens)});
  for (int i = 0; i < layers; ++i) {
    const std::string layer = "layer" + std::to_string(i) + ".";
    const ir::ValueId k = b.state(layer + "k", cache), v = b.state(layer + "v", cache);
    const ir::ValueId qkv =
        b.one("linear", layer + "qkv", {x, b.weight(layer + "w", test::fixed({3 * hidden, hidden}))});
    const ir::ValueId q = b.one("rope_kv_append", layer + "rope", {qkv, positions, k, v},
                                {{"heads", heads}, {"head_dim", head_dim}});
    x = b.one("sdpa", layer + "sdpa", {q, k, v}, {{"causal", std::int64_t{1}}});
  }
  b.split_at({"sdpa"});
  return b.ending_in(x);
}

class Bench {
 public:
  Bench(CudaDevice& device, const ir::Program& program, execution::ExecutionMode mode)
      : stream_(device.make_stream()), rig_(device, *stream_, program, ladder[0]) {
    for (const std::int64_t batch : ladder)
      executors_[batch] = test::Rig::prepare(mode, rig_.context(), batch);
  }

  test::Bytes step(std::int64_t batch, std::uint64_t seed) {
    return rig_.step(*executors_.at(batch), batch, seed).front();
  }

  std::vector<std::string> paths(std::int64_t batch) {
    std::vector<std::string> names;
    for (const execution::StepItem& item : executors_.at(batch)->eager().items()) {
      if (item.kernel != nullptr && !item.kernel->path().name.empty())
        names.push_back(item.kernel->path().name);
    }
    return names;
  }

 private:
  std::unique_ptr<Stream> stream_;
  test::Rig rig_;
  std::map<std::int64_t, std::unique_ptr<execution::Executor>> executors_;
};

using SdpaModesTest = GpuTest;

TEST_F(SdpaModesTest, PrefillThroughCudnnGivesTheSameBitsInEveryMode) {
  TuningSettings wanted;
  wanted.prefer = "cuDNN";
  CudaDevice fused(0, CudaDeviceOptions{.use_cudnn = true, .tuning = wanted});
  if (fused.info().libraries.at("cudnn").compare(0, 4, "none") == 0) GTEST_SKIP() << "needs cuDNN";
  CudaDevice plain(0, CudaDeviceOptions{.use_cudnn = false, .tuning = TuningSettings{}});
  const ir::OpCatalog catalog;
  const ir::Program program = make_prefill(catalog);
  Bench own(plain, program, execution::ExecutionMode::eager);
  Bench eager(fused, program, execution::ExecutionMode::eager);
  Bench whole(fused, program, execution::ExecutionMode::whole);
  Bench piecewise(fused, program, execution::ExecutionMode::piecewise);
  std::uint64_t seed = 100;
  for (const std::int64_t batch : {3, 5, 1, 5, 3}) {
    SCOPED_TRACE(batch);
    const test::Bytes expected = eager.step(batch, ++seed);
    EXPECT_EQ(whole.step(batch, seed), expected);
    EXPECT_EQ(piecewise.step(batch, seed), expected);
    const std::vector<double> reference = test::decode(own.step(batch, seed), ir::DType::bf16);
    // Each of the two devices may differ from the definition by one tolerance per layer: 2 * layers in sum.
    EXPECT_LE(relative_error(test::decode(expected, ir::DType::bf16), reference),
              2 * layers * tolerance(ir::DType::bf16));
  }
  const std::vector<std::string> cudnn(layers, "sdpa:cudnn");
  EXPECT_EQ(eager.paths(3), cudnn);
  const std::vector<std::string> without = own.paths(3);
  EXPECT_EQ(std::count(without.begin(), without.end(), "sdpa:cudnn"), 0);
}

}  // namespace
}  // namespace graphbench::cuda
