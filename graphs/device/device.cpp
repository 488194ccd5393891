// Implements buffers, the build's identity, the status without a GPU, and the defaults of a device's optional
// functions.
#include <cstdlib>
#include <utility>

#include "graphbench_version.hpp"
#include "graphs/device/backend_module.hpp"
#include "graphs/device/instruments.hpp"
#include "graphs/device/memory.hpp"

namespace graphbench {

void Stream::copy_strided(const StridedCopy& copy) {
  for (std::size_t i = 0; i < copy.blocks; ++i)
    copy_on_device(static_cast<std::byte*>(copy.to) + i * copy.to_stride,
                   static_cast<const std::byte*>(copy.from) + i * copy.from_stride, copy.bytes);
}

void Stream::wait(Event&) {
  throw Error(ErrorCode::unsupported, "wait for an event: this device's streams cannot wait for events");
}

namespace {

class Callback final : public Kernel {
 public:
  explicit Callback(std::function<void()> call) : call_(std::move(call)) {}
  void launch(Stream&, void* const*) override { call_(); }

 private:
  std::function<void()> call_;
};

}  // namespace

std::unique_ptr<Kernel> DeviceExecution::make_callback(std::function<void()> call) {
  return std::make_unique<Callback>(std::move(call));
}

std::unique_ptr<Graph> DeviceExecution::borrow_graph(void*) {
  throw Error(ErrorCode::unsupported, "borrow a graph: this device cannot use graphs of another library");
}

MonitorResult DeviceInstruments::make_monitor() {
  return {nullptr, "this device reports no clocks"};
}

PreparedReplay GraphExec::prepare_replay(Stream& stream) {
  const auto enqueue = [](void* exec, void* launching) {
    static_cast<GraphExec*>(exec)->launch(*static_cast<Stream*>(launching));
  };
  return {enqueue, this, &stream};
}

Buffer::Buffer(DeviceMemory& memory, std::size_t bytes, MemoryKind kind)
    : memory_(&memory), data_(memory.allocate(bytes)), tallied_(memory.tally(), kind, bytes) {}

Buffer::Buffer(Buffer&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      data_(std::exchange(other.data_, nullptr)),
      tallied_(std::move(other.tallied_)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this != &other) {
    if (data_ != nullptr) memory_->deallocate(data_);
    memory_ = std::exchange(other.memory_, nullptr);
    data_ = std::exchange(other.data_, nullptr);
    tallied_ = std::move(other.tallied_);
  }
  return *this;
}

Buffer::~Buffer() {
  if (data_ != nullptr) memory_->deallocate(data_);
}

const DeviceStatus* broken_gpu(const std::vector<DeviceStatus>& statuses) {
  const DeviceStatus* broken = nullptr;
  for (const DeviceStatus& status : statuses) {
    if (!status.id.starts_with("cuda")) continue;
    if (status.available) return nullptr;
    if (broken == nullptr && !status.absent) broken = &status;
  }
  return broken;
}

std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

DeviceStatus no_gpu_status() {
  DeviceStatus status{.id = "cuda", .detail = "the driver sees no GPU", .advice = "check nvidia-smi"};
  status.absent = true;
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
    status.detail += " with CUDA_VISIBLE_DEVICES=\"" + std::string(visible) + "\"";
    status.advice = "unset CUDA_VISIBLE_DEVICES, or name a GPU of nvidia-smi in it";
  }
  return status;
}

// The binary and the module rely on one memory layout of their shared types, so version and compiler must
// match. The commit is left out on purpose, so that a module can be rebuilt alone at another commit.
const char* build_identity() noexcept {
#if defined(__clang__)
  return GRAPHBENCH_VERSION " clang " __clang_version__;
#else
  return GRAPHBENCH_VERSION " gcc " __VERSION__;
#endif
}

}  // namespace graphbench
