// The kernel for products of few rows: every way it divides the columns, against the definition, and in
// a chain of launches where each reads what the one before wrote.
#include <cmath>

#include "gpu_fixture.hpp"
#include "graphs/cuda/ops/matmul.hpp"
#include "graphs/cuda/stream.hpp"

namespace graphbench::cuda {
namespace {

class SkinnyTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    const std::string& capability = device().info().compute_capability;
    context_.memory = &device();
    context_.compute_major = std::stoi(capability);
    context_.programmatic = context_.compute_major >= 9;
  }

  MatmulSpec square(std::int64_t rows, std::int64_t width, ir::DType dtype) const {
    MatmulSpec spec;
    spec.rows = rows;
    spec.n = width;
    spec.k = width;
    spec.dtype = dtype;
    spec.has_bias = spec.has_residual = true;
    spec.activation = Activation::gelu_tanh;
    spec.x = operand_source(0);
    spec.w = operand_source(1);
    spec.bias = operand_source(2);
    spec.residual = operand_source(3);
    spec.y = operand_source(4);
    spec.weights_constant = weights_constant_;
    return spec;
  }

  OpContext context_;
  bool weights_constant_ = true;
};

double gelu(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

std::vector<double> expected(const HostTensor& x, const HostTensor& w, const HostTensor& bias,
                             const HostTensor& residual, std::size_t rows, std::size_t width) {
  std::vector<double> y(rows * width);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t n = 0; n < width; ++n) {
      double sum = bias.values[n];
      for (std::size_t k = 0; k < width; ++k) sum += x.values[r * width + k] * w.values[n * width + k];
      y[r * width + n] = gelu(sum) + residual.values[r * width + n];
    }
  }
  return y;
}

// Enough for every division up to eight blocks: 2048 = 8 blocks x 8 warps x 32.
constexpr std::int64_t width = 2048;

TEST_F(SkinnyTest, EveryDivisionMatchesTheDefinitionAlsoInAChain) {
  for (const ir::DType dtype : {ir::DType::bf16, ir::DType::fp16}) {
    for (const std::int64_t rows : {1, 8, 13, 32}) {
      weights_constant_ = rows != 8;  // read after the kernels ahead, or while they run
      const HostTensor tensors[] = {random_tensor(dtype, {rows, width}, 1),
                                    random_tensor(dtype, {width, width}, 2, -0.02, 0.02),
                                    random_tensor(dtype, {width}, 3), random_tensor(dtype, {rows, width}, 4)};
      const auto extent = static_cast<std::size_t>(rows);
      std::vector<double> first = expected(tensors[0], tensors[1], tensors[2], tensors[3], extent, width);
      HostTensor middle = tensors[0];
      for (std::size_t i = 0; i < first.size(); ++i) middle.values[i] = rounded(dtype, first[i]);
      const std::vector<double> second = expected(middle, tensors[1], tensors[2], tensors[3], extent, width);
      const std::vector<SkinnyCandidate> candidates = skinny_candidates(context_, square(rows, width, dtype));
      ASSERT_EQ(candidates.size(), context_.compute_major >= 9 ? 4u : 1u);
      for (const SkinnyCandidate& candidate : candidates) {
        CudaStream stream;
        std::vector<Buffer> buffers;
        std::vector<void*> addresses;
        for (std::size_t i = 0; i < 6; ++i) {
          const std::vector<std::byte> bytes = encode(i < 4 ? tensors[i] : tensors[0]);
          buffers.emplace_back(device(), bytes.size());
          addresses.push_back(buffers.back().data());
          stream.copy_to_device(addresses.back(), bytes.data(), bytes.size());
          if (i >= 4) stream.fill_bytes(addresses.back(), 0xff, bytes.size());
          stream.synchronize();
        }
        std::vector<void*> again = {addresses[4], addresses[1], addresses[2], addresses[3], addresses[5]};
        NativeCall call = candidate.call;
        cuda::bind(call, addresses.data(), "first");
        make_call(call, stream.handle(), "first");
        cuda::bind(call, again.data(), "second");
        make_call(call, stream.handle(), "second");
        stream.synchronize();
        for (const std::size_t which : {std::size_t{4}, std::size_t{5}}) {
          std::vector<std::byte> bytes(buffers[which].bytes());
          stream.copy_to_host(bytes.data(), addresses[which], bytes.size());
          stream.synchronize();
          EXPECT_LE(relative_error(decode(dtype, bytes), which == 4 ? first : second), tolerance(dtype))
              << candidate.name << ", " << rows << " rows, " << ir::name_of(dtype) << ", launch "
              << which - 3;
        }
      }
    }
  }
}

TEST_F(SkinnyTest, RefusesShapesThatItDoesNotTake) {
  EXPECT_TRUE(skinny_candidates(context_, square(33, width, ir::DType::bf16)).empty());
  EXPECT_TRUE(skinny_candidates(context_, square(8, width, ir::DType::fp32)).empty());
  EXPECT_TRUE(skinny_candidates(context_, square(8, 128 + 16, ir::DType::bf16)).empty());
}

}  // namespace
}  // namespace graphbench::cuda
