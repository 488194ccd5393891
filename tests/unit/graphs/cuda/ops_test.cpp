// Every op against its definition in graphs/ir/OPS.md, computed in fp64 on the host.
#include <cmath>

#include "gpu_fixture.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::cuda {
namespace {

using ir::DType;

double activated(const std::string& activation, double x) {
  if (activation == "relu") return std::max(x, 0.0);
  if (activation == "none") return x;
  return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x)));
}

class OpTest : public GpuTest, public ::testing::WithParamInterface<DType> {
 protected:
  void expect_close(const std::vector<double>& actual, const std::vector<double>& expected) {
    EXPECT_LE(relative_error(actual, expected), tolerance(GetParam()));
  }
};

TEST_P(OpTest, RmsnormMatchesItsDefinition) {
  for (const std::int64_t columns : {64, 1024, 1000, 77, 20000}) {
    const std::int64_t rows = 5;
    OpCase op{
        "rmsnorm",
        {{"eps", 1e-4}},
        {random_tensor(GetParam(), {rows, columns}, 1), random_tensor(GetParam(), {columns}, 2, 0.5, 1.5)},
        {{GetParam(), {rows, columns}}}};
    std::vector<double> expected;
    for (std::int64_t r = 0; r < rows; ++r) {
      const double* x = op.inputs[0].values.data() + r * columns;
      double squares = 0.0;
      for (std::int64_t c = 0; c < columns; ++c) squares += x[c] * x[c];
      const double scale = 1.0 / std::sqrt(squares / static_cast<double>(columns) + 1e-4);
      for (std::int64_t c = 0; c < columns; ++c) {
        expected.push_back(x[c] * scale * op.inputs[1].values[static_cast<std::size_t>(c)]);
      }
    }
    SCOPED_TRACE(columns);
    expect_close(run(op).operands[2], expected);
  }
}

struct LinearCase {
  std::int64_t rows, n, k;
  bool bias, residual;
  const char* activation;
};

TEST_P(OpTest, LinearMatchesItsDefinition) {
  const LinearCase cases[] = {
      {1, 256, 128, false, false, "none"},     {7, 96, 64, true, false, "none"},
      {16, 64, 256, true, true, "none"},       {33, 128, 128, true, false, "gelu_tanh"},
      {8, 128, 64, false, false, "gelu_tanh"}, {8, 128, 64, true, false, "relu"},
      {8, 128, 64, false, true, "relu"},       {5, 64, 64, true, true, "gelu_tanh"},
      {3, 37, 41, true, true, "none"},         {256, 512, 1024, true, true, "none"},
  };
  for (const LinearCase& c : cases) {
    OpCase op{
        "linear",
        {{"bias", std::int64_t{c.bias}},
         {"residual", std::int64_t{c.residual}},
         {"activation", std::string(c.activation)}},
        {random_tensor(GetParam(), {c.rows, c.k}, 1), random_tensor(GetParam(), {c.n, c.k}, 2, -0.2, 0.2)},
        {{GetParam(), {c.rows, c.n}}}};
    if (c.bias) op.inputs.push_back(random_tensor(GetParam(), {c.n}, 3));
    if (c.residual) op.inputs.push_back(random_tensor(GetParam(), {c.rows, c.n}, 4));
    std::vector<double> expected;
    for (std::int64_t r = 0; r < c.rows; ++r) {
      for (std::int64_t j = 0; j < c.n; ++j) {
        double sum = c.bias ? op.inputs[2].values[static_cast<std::size_t>(j)] : 0.0;
        for (std::int64_t i = 0; i < c.k; ++i) {
          sum += op.inputs[0].values[static_cast<std::size_t>(r * c.k + i)] *
                 op.inputs[1].values[static_cast<std::size_t>(j * c.k + i)];
        }
        const double residual =
            c.residual ? op.inputs.back().values[static_cast<std::size_t>(r * c.n + j)] : 0.0;
        expected.push_back(activated(c.activation, sum) + residual);
      }
    }
    SCOPED_TRACE(std::to_string(c.rows) + "x" + std::to_string(c.n) + "x" + std::to_string(c.k) + " " +
                 c.activation);
    expect_close(run(op).operands.back(), expected);
  }
}

TEST_P(OpTest, RopeRotatesAndAppendsToTheCacheAndNothingElse) {
  const std::int64_t batch = 3, tokens = 4, heads = 2, dim = 16, slots = 40;
  const std::int64_t half = dim / 2, width = heads * dim;
  OpCase op{
      "rope_kv_append",
      {{"heads", heads}, {"head_dim", dim}},
      {random_tensor(GetParam(), {batch * tokens, 3 * width}, 1), constant_tensor(DType::i32, {batch}, 0),
       random_tensor(GetParam(), {batch, heads, slots, dim}, 2),
       random_tensor(GetParam(), {batch, heads, slots, dim}, 3)},
      {{GetParam(), {batch, heads, tokens, dim}}}};
  op.inputs[1].values = {0, 17, 36};
  std::vector<double> q(static_cast<std::size_t>(batch * heads * tokens * dim));
  std::vector<double> k = op.inputs[2].values;
  std::vector<double> v = op.inputs[3].values;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t t = 0; t < tokens; ++t) {
      const auto position = static_cast<std::int64_t>(op.inputs[1].values[static_cast<std::size_t>(b)]) + t;
      for (std::int64_t h = 0; h < heads; ++h) {
        const double* source = op.inputs[0].values.data() + (b * tokens + t) * 3 * width + h * dim;
        double* q_row = q.data() + ((b * heads + h) * tokens + t) * dim;
        double* k_row = k.data() + ((b * heads + h) * slots + position) * dim;
        double* v_row = v.data() + ((b * heads + h) * slots + position) * dim;
        for (std::int64_t i = 0; i < half; ++i) {
          const double angle = static_cast<double>(position) *
                               std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(dim));
          const double c = std::cos(angle), s = std::sin(angle);
          q_row[i] = source[i] * c - source[i + half] * s;
          q_row[i + half] = source[i + half] * c + source[i] * s;
          k_row[i] = source[width + i] * c - source[width + i + half] * s;
          k_row[i + half] = source[width + i + half] * c + source[width + i] * s;
        }
        for (std::int64_t i = 0; i < dim; ++i) v_row[i] = source[2 * width + i];
      }
    }
  }
  const OpResult result = run(op);
  expect_close(result.operands[4], q);
  expect_close(result.operands[2], k);
  EXPECT_EQ(result.operands[3], v);
}

TEST_P(OpTest, ElementwiseOpsMatchTheirDefinitions) {
  for (const std::int64_t elements : {std::int64_t{4096}, std::int64_t{1001}}) {
    const HostTensor a = random_tensor(GetParam(), {elements}, 1, -3, 3);
    const HostTensor b = random_tensor(GetParam(), {elements}, 2, -3, 3);
    std::vector<double> sum, relu, gelu;
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      sum.push_back(a.values[i] + b.values[i]);
      relu.push_back(activated("relu", a.values[i]));
      gelu.push_back(activated("gelu_tanh", a.values[i]));
    }
    const ir::TensorDesc y{GetParam(), {elements}};
    expect_close(run({"add", {}, {a, b}, {y}}).operands[2], sum);
    expect_close(run({"relu", {}, {a}, {y}}).operands[1], relu);
    expect_close(run({"gelu_tanh", {}, {a}, {y}}).operands[1], gelu);
  }
}

TEST_P(OpTest, SoftmaxMatchesItsDefinition) {
  const std::int64_t rows = 6, columns = 1337;
  OpCase op{
      "softmax", {}, {random_tensor(GetParam(), {rows, columns}, 1, -8, 8)}, {{GetParam(), {rows, columns}}}};
  std::vector<double> expected;
  for (std::int64_t r = 0; r < rows; ++r) {
    double total = 0.0;
    for (std::int64_t c = 0; c < columns; ++c)
      total += std::exp(op.inputs[0].values[static_cast<std::size_t>(r * columns + c)]);
    for (std::int64_t c = 0; c < columns; ++c) {
      expected.push_back(std::exp(op.inputs[0].values[static_cast<std::size_t>(r * columns + c)]) / total);
    }
  }
  expect_close(run(op).operands[1], expected);
}

struct ConvCase {
  std::int64_t batch, size, channels, filters, window, padding, stride;
  bool bias, residual;
  const char* activation;
};

std::vector<double> convolved(const OpCase& op, const ConvCase& c, std::int64_t out) {
  std::vector<double> y;
  const auto at = [](const HostTensor& t, std::int64_t i) { return t.values[static_cast<std::size_t>(i)]; };
  for (std::int64_t i = 0; i < c.batch * out * out * c.filters; ++i) {
    const std::int64_t k = i % c.filters, x = i / c.filters % out, row = i / c.filters / out % out;
    const std::int64_t image = i / c.filters / out / out;
    double sum = c.bias ? at(op.inputs[2], k) : 0.0;
    for (std::int64_t r = 0; r < c.window; ++r) {
      for (std::int64_t s = 0; s < c.window; ++s) {
        const std::int64_t yy = row * c.stride + r - c.padding, xx = x * c.stride + s - c.padding;
        if (yy < 0 || yy >= c.size || xx < 0 || xx >= c.size) continue;
        for (std::int64_t ch = 0; ch < c.channels; ++ch) {
          sum += at(op.inputs[0], ((image * c.size + yy) * c.size + xx) * c.channels + ch) *
                 at(op.inputs[1], ((k * c.window + r) * c.window + s) * c.channels + ch);
        }
      }
    }
    if (c.residual) sum += at(op.inputs.back(), i);
    y.push_back(activated(c.activation, sum));
  }
  return y;
}

TEST_P(OpTest, ConvolutionMatchesItsDefinitionWithAndWithoutCudnn) {
  CudaDevice plain(0, CudaDeviceOptions{.use_cudnn = false, .tuning = TuningSettings{}});
  const ConvCase cases[] = {
      {2, 14, 64, 64, 3, 1, 1, true, true, "relu"}, {3, 9, 16, 32, 3, 1, 1, true, false, "relu"},
      {1, 8, 8, 8, 1, 0, 1, false, false, "none"},  {2, 11, 16, 24, 3, 0, 2, false, true, "relu"},
      {2, 7, 8, 16, 3, 1, 1, true, true, "none"},   {40, 56, 64, 8, 3, 1, 1, true, true, "relu"}};
  for (const ConvCase& c : cases) {
    const std::int64_t out = (c.size + 2 * c.padding - c.window) / c.stride + 1;
    OpCase op{"conv2d",
              {{"bias", std::int64_t{c.bias}},
               {"residual", std::int64_t{c.residual}},
               {"padding", c.padding},
               {"stride", c.stride},
               {"activation", std::string(c.activation)}},
              {random_tensor(GetParam(), {c.batch, c.size, c.size, c.channels}, 1),
               random_tensor(GetParam(), {c.filters, c.window, c.window, c.channels}, 2, -0.2, 0.2)},
              {{GetParam(), {c.batch, out, out, c.filters}}}};
    if (c.bias) op.inputs.push_back(random_tensor(GetParam(), {c.filters}, 3));
    if (c.residual) op.inputs.push_back(random_tensor(GetParam(), {c.batch, out, out, c.filters}, 4));
    const std::vector<double> expected = convolved(op, c, out);
    SCOPED_TRACE("size " + std::to_string(c.size) + " filters " + std::to_string(c.filters));
    expect_close(run(op).operands.back(), expected);
    const OpResult without = run(op, plain);
    expect_close(without.operands.back(), expected);
    EXPECT_EQ(without.path.name, "conv2d:im2col");
    EXPECT_FALSE(without.path.fallback.empty());
  }
}

// Ops of one shape share a library's plan, which keeps descriptors of a bounded number of addresses.
TEST_P(OpTest, AConvolutionFindsItsAddressesAgainHoweverManyOthersOfItsShapeHadSince) {
  constexpr std::int64_t others = 200;
  const OpCase conv{
      "conv2d",
      {{"padding", std::int64_t{1}}},
      {random_tensor(GetParam(), {1, 8, 8, 16}, 1), random_tensor(GetParam(), {16, 3, 3, 16}, 2)},
      {{GetParam(), {1, 8, 8, 16}}}};
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
    const std::vector<std::byte> bytes = encode(*tensor);
    stream->copy_to_device(to->data(), bytes.data(), bytes.size());
    stream->synchronize();
  }
  launch(*first, 0);
  for (std::int64_t i = 1; i <= others; ++i) launch(*second, i);
  stream->fill_bytes(y_of(0), 0xff, y_bytes);
  launch(*first, 0);
  std::vector<std::byte> bytes(y_bytes * (1 + others));
  stream->copy_to_host(bytes.data(), y.data(), bytes.size());
  stream->synchronize();
  const auto begin = bytes.begin();
  for (std::int64_t i = 1; i <= others; ++i) {
    ASSERT_TRUE(std::equal(begin, begin + static_cast<std::ptrdiff_t>(y_bytes),
                           begin + i * static_cast<std::ptrdiff_t>(y_bytes)))
        << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, OpTest, ::testing::Values(DType::fp32, DType::fp16, DType::bf16),
                         [](const auto& type) { return std::string(ir::name_of(type.param)); });

class UnsupportedTest : public GpuTest {};

TEST_F(UnsupportedTest, AHeadDimensionWithoutAKernelIsRefusedByName) {
  const OpCase op{"sdpa",
                  {},
                  {random_tensor(DType::fp16, {1, 1, 1, 20}, 1), random_tensor(DType::fp16, {1, 1, 4, 20}, 2),
                   random_tensor(DType::fp16, {1, 1, 4, 20}, 3)},
                  {{DType::fp16, {1, 20}}}};
  const Error error = test::error_of([&] { run(op); });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_NE(std::string(error.what()).find("head_dim 20"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace graphbench::cuda
