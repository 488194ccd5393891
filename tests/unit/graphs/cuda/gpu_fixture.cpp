// Converts host tensors to bytes of the device's element types, and runs one op eagerly and captured.
#include "gpu_fixture.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstring>

#include "graphs/cuda/device_facts.hpp"
#include "graphs/ir/random_fill.hpp"

namespace graphbench::cuda {
namespace {

template <class T, class Convert>
test::Bytes encode_as(const std::vector<double>& values, Convert convert) {
  test::Bytes bytes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T element = convert(static_cast<float>(values[i]));
    std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
  }
  return bytes;
}

const ir::OpCatalog& catalog() {
  static const ir::OpCatalog builtin;
  return builtin;
}

}  // namespace

ir::OpCall describe(const OpCase& op_case, ir::Op& op) {
  op.kind = op_case.kind;
  op.name = "test." + op_case.kind;
  op.attributes = op_case.attributes;
  op.definition = catalog().find(op_case.kind);
  ir::OpCall call;
  for (ir::ValueId id = 0; id < op_case.inputs.size(); ++id) op.inputs.push_back(id);
  call.op = &op;
  call.batch = 1;
  for (const HostTensor& input : op_case.inputs) call.operands.push_back(input.desc);
  for (const ir::TensorDesc& output : op_case.outputs) call.operands.push_back(output);
  call.input_count = op_case.inputs.size();
  return call;
}

test::Bytes encode(const HostTensor& tensor) {
  switch (tensor.desc.dtype) {
    case ir::DType::fp32:
      return encode_as<float>(tensor.values, [](float x) { return x; });
    case ir::DType::fp16:
      return encode_as<__half>(tensor.values, [](float x) { return __float2half_rn(x); });
    case ir::DType::bf16:
      return encode_as<__nv_bfloat16>(tensor.values, [](float x) { return __float2bfloat16_rn(x); });
    case ir::DType::i32:
      return encode_as<std::int32_t>(tensor.values, [](float x) { return static_cast<std::int32_t>(x); });
  }
  return {};
}

double rounded(ir::DType dtype, double value) {
  return test::decode(encode(HostTensor{{dtype, {1}}, {value}}), dtype).front();
}

HostTensor random_tensor(ir::DType dtype, std::vector<std::int64_t> dims, std::uint64_t seed, double low,
                         double high) {
  HostTensor tensor{{dtype, std::move(dims)}, {}};
  const auto elements = static_cast<std::size_t>(tensor.desc.elements());
  tensor.values.resize(elements);
  for (std::size_t i = 0; i < elements; ++i)
    tensor.values[i] = ir::uniform_at(seed, i, static_cast<float>(low), static_cast<float>(high));
  tensor.values = test::decode(encode(tensor), dtype);
  return tensor;
}

HostTensor constant_tensor(ir::DType dtype, std::vector<std::int64_t> dims, double value) {
  HostTensor tensor{{dtype, std::move(dims)}, {}};
  tensor.values.assign(static_cast<std::size_t>(tensor.desc.elements()), rounded(dtype, value));
  return tensor;
}

double relative_error(const std::vector<double>& actual, const std::vector<double>& expected) {
  if (actual.size() != expected.size()) return INFINITY;
  double error = 0.0;
  double scale = 0.0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    error += (actual[i] - expected[i]) * (actual[i] - expected[i]);
    scale += expected[i] * expected[i];
  }
  const double ratio = std::sqrt(error / scale);
  return std::isfinite(ratio) ? ratio : INFINITY;
}

double tolerance(ir::DType dtype) {
  if (dtype == ir::DType::bf16) return 1e-2;
  return dtype == ir::DType::fp16 ? 2e-3 : 1e-5;
}

CudaDevice* GpuTest::shared_device() {
  static const std::unique_ptr<CudaDevice> device = [] {
    CudaDeviceOptions options;
    options.tuning = TuningSettings{};  // timed; the user's plan cache is neither read nor written
    return std::make_unique<CudaDevice>(0, options);
  }();
  return device.get();
}

void GpuTest::SetUp() {
  const DeviceStatus status = device_statuses().front();
  if (!status.available) GTEST_SKIP() << "needs a GPU: " << status.detail << "; " << status.advice;
}

OpResult GpuTest::run(const OpCase& op_case, CudaDevice& on) {
  ir::Op op;
  const ir::OpCall call = describe(op_case, op);
  const std::unique_ptr<Kernel> kernel = on.make_kernel(call);
  const std::unique_ptr<Stream> stream = on.make_stream();
  OpResult results[2];
  for (OpResult& result : results) {
    const bool captured = &result == &results[1];
    result.path = kernel->path();
    std::vector<Buffer> buffers;
    std::vector<void*> addresses;
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
      buffers.emplace_back(on, call.operands[i].bytes());
      addresses.push_back(buffers.back().data());
      // Poison: an element that nothing writes reads as NaN (0xff in every float type).
      stream->fill_bytes(addresses.back(), 0xff, call.operands[i].bytes());
      if (i >= op_case.inputs.size()) continue;
      const test::Bytes bytes = encode(op_case.inputs[i]);
      stream->copy_to_device(addresses.back(), bytes.data(), bytes.size());
      stream->synchronize();
    }
    if (captured) {
      stream->begin_capture();
      kernel->launch(*stream, addresses.data());
      stream->end_capture()->instantiate()->launch(*stream);
    } else {
      kernel->launch(*stream, addresses.data());
    }
    stream->synchronize();
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      test::Bytes bytes(call.operands[i].bytes());
      stream->copy_to_host(bytes.data(), addresses[i], bytes.size());
      stream->synchronize();
      result.operands.push_back(test::decode(bytes, call.operands[i].dtype));
      result.bytes.push_back(std::move(bytes));
    }
  }
  EXPECT_EQ(results[0].bytes, results[1].bytes) << "eager and captured runs of " << op_case.kind << " differ";
  return results[0];
}

}  // namespace graphbench::cuda
