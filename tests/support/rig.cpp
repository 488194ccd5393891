// Runs programs, and reads the values that they leave.
#include "tests/support/rig.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace graphbench::test {
namespace {

double decode_fp16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const double mantissa = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31) return mantissa == 0 ? sign * HUGE_VAL : std::nan("");
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

double decode_element(const unsigned char* data, ir::DType dtype) {
  std::uint32_t word = 0;
  std::memcpy(&word, data, ir::size_of(dtype));
  switch (dtype) {
    case ir::DType::fp32:
      return std::bit_cast<float>(word);
    case ir::DType::bf16:
      return std::bit_cast<float>(word << 16);
    case ir::DType::fp16:
      return decode_fp16(static_cast<std::uint16_t>(word));
    case ir::DType::i32:
      return static_cast<std::int32_t>(word);
  }
  return std::nan("");
}

void ready(execution::Executor& executor) {
  executor.capture();
  executor.instantiate();
  executor.upload();
}

}  // namespace

Rig::Rig(Device& device, Stream& stream, ir::Program program, std::int64_t largest_batch, Layout layout)
    : device_(device),
      stream_(stream),
      program_(std::move(program)),
      buffers_(device, program_, largest_batch, layout),
      eager_pool_(device),
      graph_pool_(device) {
  buffers_.fill_weights(stream_, 1);
  reset(1);
}

execution::ExecutionContext Rig::context(bool record_free_ranges) {
  return {.device = device_,
          .stream = stream_,
          .program = program_,
          .buffers = buffers_,
          .eager_pool = eager_pool_,
          .graph_pool = &graph_pool_,
          .splits = {},
          .record_free_ranges = record_free_ranges,
          .replace_memset_nodes = replace_memset_nodes_};
}

std::unique_ptr<execution::Executor> Rig::make(ExecutionMode mode, std::int64_t batch,
                                               bool record_free_ranges) {
  return execution::make_executor(mode, context(record_free_ranges), batch);
}

std::unique_ptr<execution::Executor> Rig::prepare(ExecutionMode mode, std::int64_t batch,
                                                  bool record_free_ranges) {
  auto executor = make(mode, batch, record_free_ranges);
  executor->warm_up();
  stream_.synchronize();
  ready(*executor);
  return executor;
}

std::unique_ptr<execution::Executor> Rig::prepare(ExecutionMode mode,
                                                  const execution::ExecutionContext& context,
                                                  std::int64_t batch) {
  auto executor = execution::make_executor(mode, context, batch);
  ready(*executor);
  return executor;
}

std::unique_ptr<execution::Executor> Rig::run_eager(std::int64_t batch) {
  auto executor = make(ExecutionMode::eager, batch);
  executor->submit();
  stream_.synchronize();
  return executor;
}

void Rig::reset(std::uint64_t seed) {
  buffers_.fill_inputs(stream_, seed);
  buffers_.fill_state(stream_, seed);
}

Bytes Rig::read(const void* data, std::size_t bytes) {
  Bytes copy(bytes);
  stream_.copy_to_host(copy.data(), data, bytes);
  stream_.synchronize();
  return copy;
}

std::vector<Bytes> Rig::outputs(const execution::Executor& executor, std::int64_t batch) {
  std::vector<Bytes> all;
  for (const ir::ValueId id : program_.results())
    all.push_back(read(executor.output(id), program_.describe(id, batch).bytes()));
  return all;
}

std::vector<Bytes> Rig::step(execution::Executor& executor, std::int64_t batch, std::uint64_t seed) {
  reset(seed);
  executor.submit();
  return outputs(executor, batch);
}

std::vector<Bytes> Rig::eager_step(std::int64_t batch, std::uint64_t seed) {
  auto& executor = eager_[batch];
  if (executor == nullptr) executor = make(ExecutionMode::eager, batch);
  return step(*executor, batch, seed);
}

std::pair<std::vector<Bytes>, std::vector<std::uint64_t>> Rig::steps(execution::Executor& executor, int count,
                                                                     std::int64_t batch, std::uint64_t seed) {
  reset(seed);
  for (int i = 0; i < count; ++i) executor.submit();
  std::vector<Bytes> left = outputs(executor, batch);
  return {std::move(left), state_digests()};
}

std::vector<std::uint64_t> Rig::state_digests() {
  std::vector<std::uint64_t> digests;
  for (const ir::ValueKind kind : {ir::ValueKind::state, ir::ValueKind::parameter}) {
    for (const ir::ValueId id : program_.values_of(kind)) {
      const std::size_t bytes = program_.describe(id, buffers_.largest_batch()).bytes();
      digests.push_back(device_.digest(stream_, buffers_.address(id), bytes / 4 * 4));
    }
  }
  return digests;
}

void Rig::poison(const std::vector<execution::MemoryRange>& ranges) {
  for (const execution::MemoryRange& range : ranges) stream_.fill_bytes(range.data, 0xFF, range.bytes);
}

std::vector<double> decode(const Bytes& bytes, ir::DType dtype) {
  const std::size_t size = ir::size_of(dtype);
  std::vector<double> values;
  for (std::size_t at = 0; at + size <= bytes.size(); at += size)
    values.push_back(decode_element(&bytes[at], dtype));
  return values;
}

}  // namespace graphbench::test
