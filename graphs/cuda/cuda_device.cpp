// Lists and opens GPUs, and implements the Device interface.
#include "graphs/cuda/cuda_device.hpp"

#include <cstdlib>
#include <map>

#include "graphs/cuda/cudnn_library.hpp"
#include "graphs/cuda/device_facts.hpp"
#include "graphs/cuda/device_kernels.hpp"
#include "graphs/cuda/graph.hpp"
#include "graphs/cuda/probe_kernels.hpp"
#include "graphs/cuda/profiling/cupti_profiler.hpp"
#include "graphs/cuda/runtime_names.hpp"
#include "graphs/cuda/status.hpp"
#include "graphs/cuda/stream.hpp"

namespace graphbench::cuda {
namespace {

constexpr std::size_t workspace_size = std::size_t{32} << 20;
constexpr std::size_t word_slot_size = 512;  // slot after the workspace, for one-word results

// An unset variable means "on".
bool is_on(const char* variable) {
  const char* value = std::getenv(variable);
  const std::string text = value == nullptr ? "on" : value;
  if (text != "on" && text != "off") {
    throw Error(ErrorCode::invalid_argument,
                std::string(variable) + ": '" + text + "' is not valid: give on or off");
  }
  return text == "on";
}

template <typename... Stream>
std::unique_ptr<CudaStream> stream_of(OpContext& context, Stream... stream) {
  const DeviceRange workspace{static_cast<const std::byte*>(context.workspace), context.workspace_bytes};
  auto made = std::make_unique<CudaStream>(workspace, stream...);
  context.latest_stream = made->reference();
  return made;
}

int attribute(cudaDeviceAttr name, int index, const char* operation) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, name, index), operation);
  return value;
}

// With `of_process`, all devices of a platform share one tuner until the process ends, so that a reopened
// device uses the same plans without timing.
std::shared_ptr<Tuner> tuner_for(TuningSettings settings, Platform platform, bool of_process) {
  static std::map<Platform, std::shared_ptr<Tuner>> of_platform;
  if (!of_process) return std::make_shared<Tuner>(std::move(settings), std::move(platform));
  std::shared_ptr<Tuner>& tuner = of_platform[platform];
  if (tuner == nullptr) tuner = std::make_shared<Tuner>(std::move(settings), platform);
  return tuner;
}

}  // namespace

CudaDevice::CudaDevice(int index, CudaDeviceOptions options) : index_(index) {
  driver_memory_ = nvml_memory_of(pci_bus_id_of(index));  // before the context, to measure the context too
  // Spinning keeps a thread's wake-up out of every latency. Must be set when the context is created.
  check(cudaInitDevice(index, cudaDeviceScheduleSpin, cudaInitDeviceFlagsAreValid), "open device");
  check(cudaSetDevice(index), "select device");
  const bool use_cudnn = is_on("GRAPHBENCH_CUDNN") && options.use_cudnn;
  info_ = device_info(index, options.libraries, use_cudnn);
  TuningSettings tuning = options.tuning ? *options.tuning : TuningSettings::from_environment();
  const std::string plans = tuning.timed ? "timed" : "the heuristic's first";
  context_.tuner = tuner_for(std::move(tuning), platform_of(info_), !options.tuning);
  info_.libraries["plans"] = plans;
  const bool wanted = is_on("GRAPHBENCH_PROGRAMMATIC_LAUNCH");
  context_.multiprocessors = attribute(cudaDevAttrMultiProcessorCount, index, "count multiprocessors");
  context_.compute_major = attribute(cudaDevAttrComputeCapabilityMajor, index, "read compute capability");
  // Recorded, such a launch is an edge that drivers before 12.3 do not have.
  context_.programmatic = wanted && context_.compute_major >= 9 && has_cuda(edge_data_since);
  info_.libraries["programmatic launch"] = context_.programmatic ? "on" : "off";
  check(cudaMalloc(workspace_.put(), workspace_size + word_slot_size), "allocate workspace");
  tally().add(MemoryKind::workspace, workspace_size + word_slot_size);
  context_.workspace = workspace_.get();
  context_.workspace_bytes = workspace_size;
  context_.memory = this;
  context_.scratch = std::make_unique<ScratchArena>(*this);
  context_.use_cudnn = use_cudnn && cudnn_library(options.libraries) != nullptr;
}

void CudaDevice::discard() {
  context_.cudnn.reset();
  context_.scratch.reset();
  context_.cublas.reset();
  branch_workspaces_.clear();
  workspace_.reset();
  check(cudaDeviceReset(), "reset device");
}

unsigned long long* CudaDevice::word_slot() const {
  return reinterpret_cast<unsigned long long*>(static_cast<std::byte*>(workspace_.get()) + workspace_size);
}

bool CudaDevice::supports(ir::DType dtype) const {
  return has_arithmetic(dtype, context_.compute_major);
}

std::unique_ptr<Graph> CudaDevice::borrow_graph(void* native) {
  return std::make_unique<CudaGraph>(static_cast<cudaGraph_t>(native));
}

std::unique_ptr<Stream> CudaDevice::make_stream() {
  return stream_of(context_);
}

std::unique_ptr<Stream> CudaDevice::default_stream() {
  return stream_of(context_, cudaStreamPerThread);
}

std::unique_ptr<Event> CudaDevice::make_event() {
  return std::make_unique<CudaEvent>();
}

std::unique_ptr<Kernel> CudaDevice::make_kernel(const ir::OpCall& call) {
  return std::make_unique<PreparedKernel>(call.op->name, prepare_op(context_, call));
}

void* CudaDevice::allocate(std::size_t bytes) {
  void* data = nullptr;
  const cudaError_t status = cudaMalloc(&data, bytes);
  if (status != cudaSuccess) [[unlikely]] {
    raise(status, "allocate", (std::to_string(bytes) + " bytes of device memory").c_str());
  }
  return data;
}

void CudaDevice::deallocate(void* data) noexcept {
  log_failure(cudaFree(data), "free device memory");
}

void* CudaDevice::allocate_pinned(std::size_t bytes) {
  void* data = nullptr;
  check(cudaMallocHost(&data, bytes), "allocate pinned memory");
  return data;
}

void CudaDevice::deallocate_pinned(void* data) noexcept {
  FreeHostMemory()(data);
}

MemoryInfo CudaDevice::memory() const {
  MemoryInfo info;
  check(cudaMemGetInfo(&info.free_bytes, &info.total_bytes), "read free memory");
  return info;
}

std::size_t CudaDevice::workspace_bytes() const {
  return workspace_size * (1 + branch_workspaces_.size()) + word_slot_size + context_.scratch->total_bytes();
}

void CudaDevice::prepare_on_branch(std::size_t branch) {
  while (branch_workspaces_.size() < branch) {
    check(cudaMalloc(branch_workspaces_.emplace_back().put(), workspace_size), "allocate workspace");
    tally().add(MemoryKind::workspace, workspace_size);
  }
  context_.workspace = branch == 0 ? workspace_.get() : branch_workspaces_[branch - 1].get();
}

void CudaDevice::fill(Stream& stream, void* destination, ir::DType dtype, std::size_t elements,
                      const ir::Init& init, std::uint64_t seed) {
  launch_fill(static_cast<CudaStream&>(stream).handle(), destination, dtype, elements, init, seed);
}

std::uint64_t CudaDevice::digest(Stream& stream, const void* source, std::size_t bytes) {
  if (bytes % 4 != 0) {
    throw Error(ErrorCode::invalid_argument,
                "digest: " + std::to_string(bytes) + " bytes are not a multiple of 4");
  }
  auto* sum = word_slot();
  stream.fill_bytes(sum, 0, sizeof(*sum));
  launch_digest(static_cast<CudaStream&>(stream).handle(), source, bytes / 4, sum, context_.multiprocessors);
  std::uint64_t result = 0;
  stream.copy_to_host(&result, sum, sizeof(result));
  stream.synchronize();
  return result;
}

void CudaDevice::load_at_first_use() {
  context_.load_at_first_use = true;
  context_.tuner->stop_timing();
}

void CudaDevice::synchronize() {
  check(cudaDeviceSynchronize(), "synchronize device");
}

std::unique_ptr<Kernel> CudaDevice::make_empty_kernel() {
  return std::make_unique<EmptyKernel>();
}

std::unique_ptr<Kernel> CudaDevice::make_probe_kernel(ProbeKernel which) {
  if (context_.compute_major < 9) return nullptr;
  return std::make_unique<CudaProbeKernel>(which);
}

std::size_t CudaDevice::cache_bytes() const {
  return static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize, index_, "read size of L2"));
}

std::optional<double> CudaDevice::clock_probe_seconds(Stream& stream) {
  auto* const slot = word_slot();
  launch_clock_probe(static_cast<CudaStream&>(stream).handle(), slot);
  unsigned long long nanoseconds = 0;
  stream.copy_to_host(&nanoseconds, slot, sizeof(nanoseconds));
  stream.synchronize();
  return static_cast<double>(nanoseconds) * 1e-9;
}

std::optional<MemoryUse> CudaDevice::memory_use() {
  return driver_memory_ == nullptr ? std::nullopt : driver_memory_->read();
}

ProfilerResult CudaDevice::make_profiler() {
  std::string why;
  const CuptiLibrary* library = cupti_library(why);
  if (library == nullptr) return {nullptr, why};
  return CuptiProfiler::start(*library);
}

MonitorResult CudaDevice::make_monitor() {
  std::string why;
  const NvmlLibrary* library = nvml_library(why);
  if (library == nullptr) return {nullptr, why};
  if (info_.pci_bus_id.empty()) return {nullptr, "this GPU has no PCI address"};
  return NvmlMonitor::open(*library, info_.pci_bus_id);
}

// Each file's code is to be loaded when it is first used, as drivers from CUDA 12.2 on do: older ones would
// load all at once, and refuse all for the code that they cannot link (conditional_kernel.cu). The driver
// reads the variable when it is initialised.
CudaBackend::CudaBackend() {
  if (driver_version() < lazy_loading_since) setenv("CUDA_MODULE_LOADING", "LAZY", 0);
}

std::vector<DeviceStatus> CudaBackend::devices() {
  return device_statuses();
}

std::unique_ptr<Device> CudaBackend::open(int index, Work work) {
  CudaDeviceOptions options;
  if (work == Work::lent_step) options.libraries = LibrarySearch::loaded;
  const std::vector<DeviceStatus> statuses = device_statuses();
  const std::string id = "cuda:" + std::to_string(index);
  for (const DeviceStatus& status : statuses) {
    if (status.id == id && status.available) return std::make_unique<CudaDevice>(index, options);
    if (!status.available && (status.id == id || status.id == "cuda")) {
      throw Error(ErrorCode::unsupported, "open device " + id + ": " + status.detail + "; " + status.advice);
    }
  }
  throw Error(ErrorCode::unsupported, "open device " + id + ": this machine has " +
                                          std::to_string(statuses.size()) + " CUDA device(s)");
}

}  // namespace graphbench::cuda
