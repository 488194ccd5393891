// What the CUDA backend's ops do besides their definition, which tests/conformance holds them to.
#include <algorithm>

#include "gpu_fixture.hpp"
#include "tests/support/refusal.hpp"

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

// Ops of one shape share a library's plan, which keeps descriptors of a bounded number of addresses.
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

}  // namespace
}  // namespace graphbench::cuda
