// The host device's parts put together.
#include "graphs/host/host_device.hpp"

#include <algorithm>
#include <mutex>

#include "graphs/host/cpu.hpp"
#include "graphs/host/fill.hpp"
#include "graphs/host/host_event.hpp"
#include "graphs/host/host_kernel.hpp"
#include "graphs/host/host_stream.hpp"
#include "graphs/host/library_stream.hpp"
#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/make_op.hpp"

namespace graphbench::host {
namespace {

void run_fill_task(Task& task, StreamContext&) {
  run_fill(task.payload<FillRequest>());
}

struct DigestRequest {
  const void* source;
  std::size_t bytes;
  std::uint64_t* digest;
};

void run_digest_task(Task& task, StreamContext&) {
  const auto request = task.payload<DigestRequest>();
  *request.digest = digest_of(request.source, request.bytes);
}

std::unique_ptr<OpImplementation> named(std::unique_ptr<OpImplementation> made, const std::string& name,
                                        std::size_t operands) {
  made->set_name(name);
  if (operands > Task::words_max) made->list_operands();
  return made;
}

// Records for as long as it lives.
class HostProfiler final : public ActivityProfiler {
 public:
  explicit HostProfiler(HostDevice& device) : device_(device) { attach(&recorder_); }
  ~HostProfiler() override { attach(nullptr); }
  std::vector<Activity> collect() override {
    const std::lock_guard lock(device_.execution_mutex());
    return recorder_.take();
  }

 private:
  void attach(ActivityRecorder* recorder) {
    const std::lock_guard lock(device_.execution_mutex());
    device_.set_recorder(recorder);
  }

  HostDevice& device_;
  ActivityRecorder recorder_;
};

}  // namespace

HostDevice::HostDevice(const std::string& share) : cores_(usable_cores()), scratch_(*this) {
  info_.kind = "host";
  info_.name = cpu_name();
  info_.uuid = share;
  info_.memory_bytes = static_cast<std::int64_t>(memory_.info().total_bytes);
  info_.libraries["oneDNN"] = library_version();
  library_engine();  // fails here, not on a stream's thread
}

HostDevice::~HostDevice() = default;

bool HostDevice::takes(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::fp32:
    case ir::DType::i32:
      return true;
    case ir::DType::bf16:
      return library_multiplies_bf16();
    case ir::DType::fp16:
      return false;
  }
  return false;
}

std::unique_ptr<Stream> HostDevice::make_stream() {
  return std::make_unique<HostStream>(*this);
}

std::unique_ptr<Event> HostDevice::make_event() {
  return std::make_unique<HostEvent>();
}

void HostDevice::check_operands(const ir::OpCall& call) const {
  const std::string prefix = "prepare " + call.op->name + " (" + call.op->kind + ") on host: ";
  for (const ir::TensorDesc& operand : call.operands) {
    if (supports(operand.dtype)) continue;
    throw Error(ErrorCode::unsupported, prefix + "oneDNN has no arithmetic for dtype " +
                                            std::string(ir::name_of(operand.dtype)) +
                                            " on this CPU; use fp32");
  }
}

std::unique_ptr<Kernel> HostDevice::make_kernel(const ir::OpCall& call) {
  if (call.op->definition->traits.marker) return std::make_unique<MarkerKernel>();
  check_operands(call);
  const std::uint64_t signature = kernels_.find_or_make(signature_text(call), [&] {
    const PlanningThreads threads(compute_threads());
    return named(make_op(call, scratch_), call.op->kind, call.operands.size());
  });
  return std::make_unique<HostKernel>(kernels_, signature, call.operands.size());
}

std::unique_ptr<Kernel> HostDevice::make_empty_kernel() {
  const std::uint64_t signature =
      kernels_.find_or_make("empty", [] { return named(direct_op(0, [](void* const*) {}), "empty", 0); });
  return std::make_unique<HostKernel>(kernels_, signature, 0);
}

ProfilerResult HostDevice::make_profiler() {
  return {std::make_unique<HostProfiler>(*this), "the host stream's own records"};
}

void HostDevice::deallocate(void* data) noexcept {
  for (HostStream* stream : streams_) stream->drain();
  memory_.deallocate(data);
}

void HostDevice::fill(Stream& stream, void* destination, ir::DType dtype, std::size_t elements,
                      const ir::Init& init, std::uint64_t seed) {
  static_assert(sizeof(FillRequest) <= sizeof(Task::words));
  const FillRequest request{destination, elements, seed, init, dtype};
  static_cast<HostStream&>(stream).submit(run_fill_task, nullptr, &request, sizeof(request));
}

std::uint64_t HostDevice::digest(Stream& stream, const void* source, std::size_t bytes) {
  if (bytes % 4 != 0) {
    throw Error(ErrorCode::invalid_argument,
                "digest on host: " + std::to_string(bytes) + " bytes are no multiple of 4");
  }
  std::uint64_t digest = 0;
  const DigestRequest request{source, bytes, &digest};
  static_cast<HostStream&>(stream).submit_uncaptured("digest", run_digest_task, nullptr, &request,
                                                     sizeof(request));
  stream.synchronize();
  return digest;
}

void HostDevice::synchronize() {
  for (HostStream* stream : streams_) stream->synchronize();
}

void HostDevice::remove_stream(HostStream& stream) noexcept {
  streams_.erase(std::remove(streams_.begin(), streams_.end(), &stream), streams_.end());
}

}  // namespace graphbench::host
