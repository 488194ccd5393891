// One kernel for two ops, through Device::make_fused_kernel: against both definitions, with the result's
// memory poisoned, in place over the residual, eagerly and out of a graph.
#include "graphs/cuda/ops/fusion.hpp"

#include <cmath>

#include "gpu_fixture.hpp"
#include "graphs/cuda/ops/matmul.hpp"
#include "graphs/cuda/stream.hpp"
#include "graphs/cuda/tuning/tuner.hpp"

namespace graphbench::cuda {
namespace {

using ir::DType;

constexpr double eps = 1e-3;

std::vector<double> normed(const std::vector<double>& x, const std::vector<double>& gamma) {
  std::vector<double> y;
  for (std::size_t row = 0; row < x.size(); row += gamma.size()) {
    double squares = 0.0;
    for (std::size_t c = 0; c < gamma.size(); ++c) squares += x[row + c] * x[row + c];
    const double scale = 1.0 / std::sqrt(squares / static_cast<double>(gamma.size()) + eps);
    for (std::size_t c = 0; c < gamma.size(); ++c) y.push_back(x[row + c] * scale * gamma[c]);
  }
  return y;
}

std::vector<double> product(const HostTensor& x, const HostTensor& w) {
  const auto k = static_cast<std::size_t>(w.desc.dims[1]);
  std::vector<double> y;
  for (std::size_t row = 0; row < x.values.size(); row += k) {
    for (std::size_t column = 0; column < w.values.size(); column += k) {
      double sum = 0.0;
      for (std::size_t i = 0; i < k; ++i) sum += x.values[row + i] * w.values[column + i];
      y.push_back(sum);
    }
  }
  return y;
}

// Two ops with host tensors for every value that no op writes.
struct Pair {
  ir::Program program;
  std::map<ir::ValueId, HostTensor> given;
};

class FusionTest : public GpuTest, public ::testing::WithParamInterface<DType> {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped()) always_ = make_device(Fusion::always);
  }

  static std::unique_ptr<CudaDevice> make_device(Fusion fusion) {
    TuningSettings tuning;
    tuning.fusion = fusion;
    CudaDeviceOptions options;
    options.tuning = tuning;
    return std::make_unique<CudaDevice>(0, options);
  }

  static std::unique_ptr<Kernel> fuse(CudaDevice& device, const Pair& pair) {
    const ir::OpCall first = pair.program.call(0, 1), second = pair.program.call(1, 1);
    return device.make_fused_kernel({first, second, 0});
  }

  // The values of the program after one launch, and after one replay, which must be the same. Where
  // `in_place`, the first op's result is given the memory that the kernel says it may have.
  std::map<ir::ValueId, std::vector<double>> run(Kernel& kernel, const Pair& pair, bool in_place) {
    const std::unique_ptr<Stream> stream = always_->make_stream();
    std::map<ir::ValueId, std::vector<std::byte>> bytes[2];
    for (auto& results : bytes) {
      std::map<ir::ValueId, Buffer> buffers;
      std::map<ir::ValueId, void*> addresses;
      for (ir::ValueId id = 0; id < pair.program.values().size(); ++id) {
        const std::size_t size = pair.program.describe(id, 1).bytes();
        addresses[id] = buffers.emplace(id, Buffer(*always_, size)).first->second.data();
        stream->fill_bytes(addresses[id], 0xff, size);
        if (const auto given = pair.given.find(id); given != pair.given.end()) {
          const std::vector<std::byte> encoded = encode(given->second);
          stream->copy_to_device(addresses[id], encoded.data(), encoded.size());
        }
        stream->synchronize();
      }
      std::vector<ir::ValueId> operands;
      for (const ir::Op& op : pair.program.ops()) {
        operands.insert(operands.end(), op.inputs.begin(), op.inputs.end());
        operands.insert(operands.end(), op.outputs.begin(), op.outputs.end());
      }
      const ir::ValueId between = pair.program.ops()[0].outputs[0];
      if (in_place) addresses[between] = addresses[operands.at(kernel.in_place_input().value())];
      std::vector<void*> launched;
      for (const ir::ValueId id : operands) launched.push_back(addresses[id]);
      if (&results == &bytes[0]) {
        kernel.launch(*stream, launched.data());
      } else {
        stream->begin_capture();
        kernel.launch(*stream, launched.data());
        stream->end_capture()->instantiate()->launch(*stream);
      }
      stream->synchronize();
      for (ir::ValueId id = 0; id < pair.program.values().size(); ++id) {
        results[id].resize(pair.program.describe(id, 1).bytes());
        stream->copy_to_host(results[id].data(), addresses[id], results[id].size());
        stream->synchronize();
      }
    }
    EXPECT_EQ(bytes[0], bytes[1]) << "eager and captured runs differ";
    std::map<ir::ValueId, std::vector<double>> values;
    for (const auto& [id, data] : bytes[0]) values[id] = decode(GetParam(), data);
    return values;
  }

  std::vector<double> read(CudaStream& stream, const Buffer& buffer) {
    std::vector<std::byte> bytes(buffer.bytes());
    stream.copy_to_host(bytes.data(), buffer.data(), bytes.size());
    stream.synchronize();
    return decode(GetParam(), bytes);
  }

  HostTensor random(std::vector<std::int64_t> dims, std::uint64_t seed, double low = -1, double high = 1) {
    return random_tensor(GetParam(), std::move(dims), seed, low, high);
  }

  // Adds a value with data; `weight` as kernels may read it ahead of the stream's order.
  static ir::ValueId give(ir::ProgramBuilder& builder, Pair& pair, const char* name, HostTensor tensor,
                          bool weight) {
    ir::Shape shape;
    for (const std::int64_t dim : tensor.desc.dims) shape.push_back(ir::fixed_dim(dim));
    const ir::ValueId id = builder.value(weight ? ir::ValueKind::weight : ir::ValueKind::input, name,
                                         tensor.desc.dtype, std::move(shape), {});
    pair.given.emplace(id, std::move(tensor));
    return id;
  }

  void expect_sum_and_norm(const Pair& pair, const std::vector<double>& sum, const HostTensor& gamma) {
    const std::unique_ptr<Kernel> kernel = fuse(*always_, pair);
    ASSERT_NE(kernel, nullptr);
    const ir::ValueId y = pair.program.ops()[0].outputs[0], norm = pair.program.ops()[1].outputs[0];
    const auto values = run(*kernel, pair, false);
    EXPECT_LE(relative_error(values.at(y), sum), tolerance(GetParam()));
    // Of the sum as it was stored, as the op of its own would have read it.
    EXPECT_LE(relative_error(values.at(norm), normed(values.at(y), gamma.values)), tolerance(GetParam()) / 2);
    ASSERT_TRUE(kernel->in_place_input().has_value());
    const auto in_place = run(*kernel, pair, true);
    EXPECT_EQ(in_place.at(y), values.at(y));
    EXPECT_EQ(in_place.at(norm), values.at(norm));
  }

  std::unique_ptr<CudaDevice> always_;
  ir::OpCatalog catalog_;
};

TEST_P(FusionTest, AddAndRmsnormAreOneKernel) {
  const struct {
    std::int64_t rows, columns;
  } shapes[] = {{1, 1024}, {5, 48}, {33, 37}, {7, 4096}, {3, 5001}, {2, 20000}};
  for (const auto& [rows, columns] : shapes) {
    SCOPED_TRACE(columns);
    Pair pair;
    ir::ProgramBuilder builder("add_norm", catalog_);
    const HostTensor a = random({rows, columns}, 1, -3, 3), b = random({rows, columns}, 2);
    const HostTensor gamma = random({columns}, 3, 0.5, 1.5);
    const ir::ValueId left = give(builder, pair, "a", a, false), right = give(builder, pair, "b", b, false);
    const ir::ValueId gain = give(builder, pair, "gamma", gamma, columns != 48);
    const ir::ValueId sum = builder.op("add", "sum", {left, right}, {})[0];
    builder.mark_output(builder.op("rmsnorm", "norm", {sum, gain}, {{"eps", eps}})[0]);
    builder.mark_output(sum);
    pair.program = builder.finish();
    std::vector<double> expected;
    for (std::size_t i = 0; i < a.values.size(); ++i) expected.push_back(a.values[i] + b.values[i]);
    expect_sum_and_norm(pair, expected, gamma);
  }
}

TEST_P(FusionTest, AProductsSumAndItsNormAreOneKernel) {
  const struct {
    std::int64_t rows, n, k;
    bool bias;
  } shapes[] = {{1, 1024, 1024, false}, {5, 96, 64, true},     {33, 37, 41, true},
                {64, 256, 2048, true},  {3, 5000, 128, false}, {257, 128, 512, true}};
  for (const auto& [rows, n, k, bias] : shapes) {
    SCOPED_TRACE(std::to_string(rows) + "x" + std::to_string(n) + "x" + std::to_string(k));
    Pair pair;
    ir::ProgramBuilder builder("product_norm", catalog_);
    const HostTensor x = random({rows, k}, 1), w = random({n, k}, 2, -0.2, 0.2), b = random({n}, 3);
    const HostTensor residual = random({rows, n}, 4), gamma = random({n}, 5, 0.5, 1.5);
    std::vector<ir::ValueId> inputs = {give(builder, pair, "x", x, false), give(builder, pair, "w", w, true)};
    if (bias) inputs.push_back(give(builder, pair, "bias", b, true));
    inputs.push_back(give(builder, pair, "residual", residual, false));
    const ir::ValueId gain = give(builder, pair, "gamma", gamma, rows != 5);
    const ir::ValueId sum =
        builder.op("linear", "sum", inputs, {{"bias", std::int64_t{bias}}, {"residual", std::int64_t{1}}})[0];
    builder.mark_output(builder.op("rmsnorm", "norm", {sum, gain}, {{"eps", eps}})[0]);
    builder.mark_output(sum);
    pair.program = builder.finish();
    std::vector<double> expected = product(x, w);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] += residual.values[i] + (bias ? b.values[i % static_cast<std::size_t>(n)] : 0.0);
    }
    expect_sum_and_norm(pair, expected, gamma);
  }
}

// What ops are prepared with, where a test makes the calls itself.
struct Library {
  explicit Library(CudaDevice& device) {
    context.memory = &device;
    context.compute_major = std::stoi(device.info().compute_capability);
    context.programmatic = context.compute_major >= 9;
    TuningSettings settings;
    settings.timed = false;
    context.tuner = std::make_shared<Tuner>(settings, Platform{"", "test", ""});
    EXPECT_EQ(cublasLtCreate(cublas.put()), CUBLAS_STATUS_SUCCESS);
    context.cublas = cublas.get();
  }
  CublasHandle cublas;
  OpContext context;
};

// In as many parts as it divides into, whichever of them timing would choose.
TEST_P(FusionTest, EveryDivisionOfAProductGivesItsSum) {
  const std::int64_t rows = 19, n = 64, k = 1024;
  const HostTensor x = random({rows, k}, 1), w = random({n, k}, 2, -0.2, 0.2);
  const HostTensor residual = random({rows, n}, 3), gamma = random({n}, 4, 0.5, 1.5), bias = random({n}, 5);
  std::vector<double> sum = product(x, w);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const double before = sum[i] + bias.values[i % static_cast<std::size_t>(n)];
    sum[i] = std::max(before, 0.0) + residual.values[i];
  }
  Library library(*always_);
  ASSERT_NE(library.context.cublas, nullptr);
  const Buffer workspace(*always_, std::size_t{8} << 20), sums(*always_, std::size_t{1} << 20);
  CudaStream stream;
  std::vector<Buffer> buffers;
  std::vector<void*> addresses;
  for (const HostTensor& tensor : {x, w, bias, residual, gamma, residual, residual}) {
    const std::vector<std::byte> bytes = encode(tensor);
    buffers.emplace_back(*always_, bytes.size());
    addresses.push_back(buffers.back().data());
    stream.copy_to_device(addresses.back(), bytes.data(), bytes.size());
    stream.synchronize();
  }
  ir::Op op;
  op.kind = "linear";
  op.name = "test.linear";
  ir::OpCall call;
  call.op = &op;
  MatmulSpec spec;
  spec.rows = rows;
  spec.n = n;
  spec.k = k;
  spec.dtype = GetParam();
  spec.x = operand_source(0);
  spec.w = operand_source(1);
  spec.workspace = workspace.data();
  spec.workspace_bytes = workspace.bytes();
  for (const std::int64_t slices : {1, 2, 4, 8, 16}) {
    SCOPED_TRACE(std::to_string(slices) + " parts");
    for (const std::size_t result : {5u, 6u})
      stream.fill_bytes(addresses[result], 0xff, buffers[result].bytes());
    stream.fill_bytes(sums.data(), 0xff, sums.bytes());
    std::optional<NativeCall> parts = sliced_product(library.context, spec, slices, sums.data(), call);
    ASSERT_TRUE(parts.has_value());
    SumRmsnorm finish{rows,
                      n,
                      GetParam(),
                      slices,
                      fixed_source(sums.data()),
                      operand_source(2),
                      operand_source(3),
                      operand_source(5),
                      operand_source(4),
                      operand_source(6),
                      Activation::relu,
                      static_cast<float>(eps),
                      true};
    NativeCall calls[] = {*parts, sum_rmsnorm_call(library.context, finish, call)};
    for (NativeCall& each : calls) {
      cuda::bind(each, addresses.data(), "test");
      make_call(each, stream.handle(), "test");
    }
    const std::vector<double> y = read(stream, buffers[5]), norm = read(stream, buffers[6]);
    EXPECT_LE(relative_error(y, sum), tolerance(GetParam()));
    EXPECT_LE(relative_error(norm, normed(y, gamma.values)), tolerance(GetParam()) / 2);
  }
}

TEST_P(FusionTest, NothingIsFusedWhereItIsTurnedOff) {
  Pair pair;
  ir::ProgramBuilder builder("add_norm", catalog_);
  const ir::ValueId x = give(builder, pair, "x", random({4, 64}, 1), false);
  const ir::ValueId gamma = give(builder, pair, "gamma", random({64}, 2), true);
  const ir::ValueId sum = builder.op("add", "sum", {x, x}, {})[0];
  builder.mark_output(builder.op("rmsnorm", "norm", {sum, gamma}, {})[0]);
  pair.program = builder.finish();
  EXPECT_EQ(fuse(*make_device(Fusion::never), pair), nullptr);
  EXPECT_NE(fuse(*always_, pair), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Types, FusionTest, ::testing::Values(DType::fp32, DType::fp16, DType::bf16),
                         [](const auto& type) { return std::string(ir::name_of(type.param)); });

}  // namespace
}  // namespace graphbench::cuda
