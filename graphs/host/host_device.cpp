// Implements the host device, its events, fills and digests, and the backend that opens it.
#include "graphs/host/host_device.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>

#include "graphs/base/error.hpp"
#include "graphs/host/bfloat16.hpp"
#include "graphs/host/cpu.hpp"
#include "graphs/host/host_kernel.hpp"
#include "graphs/host/host_stream.hpp"
#include "graphs/host/library_stream.hpp"
#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/task_ring.hpp"
#include "graphs/ir/program.hpp"
#include "graphs/ir/random_fill.hpp"

namespace graphbench::host {
namespace {

struct FillRequest {
  void* destination = nullptr;
  std::size_t elements = 0;
  std::uint64_t seed = 0;
  ir::Init init;
  ir::DType dtype = ir::DType::fp32;
};

template <typename T, typename Convert>
void fill_elements(const FillRequest& request, const Convert& convert) {
  T* data = static_cast<T*>(request.destination);
  const auto low = static_cast<float>(request.init.low);
  const auto high = static_cast<float>(request.init.high);
  if (request.init.kind == ir::Init::Kind::constant) {
    const T element = convert(low);
    for (std::size_t i = 0; i < request.elements; ++i) data[i] = element;
    return;
  }
  for (std::size_t i = 0; i < request.elements; ++i)
    data[i] = convert(ir::uniform_at(request.seed, i, low, high));
}

void run_fill(const FillRequest& request) {
  switch (request.dtype) {
    case ir::DType::fp32:
      return fill_elements<float>(request, from_float<float>);
    case ir::DType::bf16:
      return fill_elements<BFloat16>(request, from_float<BFloat16>);
    case ir::DType::i32:
      // The cast rounds towards zero, as on every device.
      return fill_elements<std::int32_t>(request,
                                         [](float value) { return static_cast<std::int32_t>(value); });
    case ir::DType::fp16:
      break;
  }
  throw Error(ErrorCode::unsupported,
              "fill on host: the host does not support dtype " + std::string(name_of(request.dtype)));
}

std::uint64_t digest_of(const void* source, std::size_t bytes) {
  const auto* data = static_cast<const unsigned char*>(source);
  std::uint64_t digest = 0;
  for (std::size_t i = 0; i < bytes / 4; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, data + 4 * i, 4);
    digest += ir::digest_word(i, word);
  }
  return digest;
}

class HostEvent final : public Event {
 public:
  ~HostEvent() override;  // waits for recordings that are still enqueued
  void record(Stream& stream) override;
  double seconds_since(const Event& start) const override;

 private:
  static void run(Task& task, StreamContext& context);

  std::chrono::steady_clock::time_point reached_at_;
  std::atomic<int> pending_{0};
  bool recorded_ = false;
};

HostEvent::~HostEvent() {
  while (pending_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
}

void HostEvent::record(Stream& stream) {
  pending_.fetch_add(1, std::memory_order_relaxed);
  try {
    static_cast<HostStream&>(stream).submit_uncaptured("record event", run, this, nullptr, 0);
  } catch (...) {
    pending_.fetch_sub(1, std::memory_order_relaxed);
    throw;
  }
  recorded_ = true;
}

void HostEvent::run(Task& task, StreamContext&) {
  auto& event = *static_cast<HostEvent*>(task.object);
  event.reached_at_ = std::chrono::steady_clock::now();
  event.pending_.fetch_sub(1, std::memory_order_release);
}

double HostEvent::seconds_since(const Event& start) const {
  const auto& from = static_cast<const HostEvent&>(start);
  for (const HostEvent* event : {&from, this}) {
    if (!event->recorded_) {
      throw Error(ErrorCode::invalid_argument, "read host event: the event was never recorded");
    }
    if (event->pending_.load(std::memory_order_acquire) != 0) {
      throw Error(ErrorCode::invalid_argument,
                  "read host event: the stream has not reached the event; synchronise the stream first");
    }
  }
  return std::chrono::duration<double>(reached_at_ - from.reached_at_).count();
}

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

class HostProfiler final : public ActivityProfiler {
 public:
  explicit HostProfiler(HostDevice& device) : device_(device) { attach(&records_); }
  ~HostProfiler() override { attach(nullptr); }
  std::vector<Activity> collect() override {
    const std::lock_guard lock(device_.execution_mutex());
    return std::exchange(records_, {});
  }

 private:
  void attach(std::vector<Activity>* records) {
    const std::lock_guard lock(device_.execution_mutex());
    device_.set_records(records);
  }

  HostDevice& device_;
  std::vector<Activity> records_;
};

}  // namespace

HostDevice::HostDevice(const std::string& share) : cores_(usable_cores()), scratch_(*this) {
  info_.kind = "host";
  info_.name = cpu_name();
  info_.uuid = share;
  info_.memory_bytes = static_cast<std::int64_t>(memory_.info().total_bytes);
  info_.libraries["oneDNN"] = library_version();
  library_engine();  // throws here if oneDNN is unusable, not on a stream's thread
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

std::unique_ptr<Kernel> HostDevice::make_callback(std::function<void()> call) {
  const std::string text = "callback " + std::to_string(kernels_.size());
  const std::uint64_t signature = kernels_.find_or_make(text, [&] {
    return named(direct_op(0, [call = std::move(call)](void* const*) { call(); }), "callback", 0);
  });
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
                "digest on host: " + std::to_string(bytes) + " bytes are not a multiple of 4");
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

namespace {

class HostBackend final : public Backend {
 public:
  std::string name() const override { return "host"; }

  std::vector<DeviceStatus> devices() override {
    std::vector<DeviceStatus> all = device_statuses();
    for (DeviceStatus& status : all)
      if (status.available) status.dtypes = supported_dtypes(HostDevice::takes);
    return all;
  }

  // Index 0 is the whole host; index N + 1 is share N.
  std::unique_ptr<Device> open(int index, Work) override {
    if (index < 0 || index > shares())
      throw Error(ErrorCode::invalid_argument,
                  "open host device " + std::to_string(index) + ": this host device does not exist");
    return std::make_unique<HostDevice>(index == 0 ? "" : "host:" + std::to_string(index - 1));
  }
};

}  // namespace

std::unique_ptr<Backend> make_host_backend() {
  return std::make_unique<HostBackend>();
}

}  // namespace graphbench::host
