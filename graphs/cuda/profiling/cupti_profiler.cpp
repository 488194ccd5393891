// Opens CUPTI, and handles the buffers, records and clock of its activity interface.
#include "graphs/cuda/profiling/cupti_profiler.hpp"

#include <cuda_runtime_api.h>
#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "graphs/base/clock.hpp"
#include "graphs/base/error.hpp"
#include "graphs/cuda/dynamic_library.hpp"

namespace graphbench::cuda {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
constexpr std::size_t buffer_alignment = 8;  // as CUPTI requires

constexpr std::array recorded_kinds = {cupti_activity_concurrent_kernel, cupti_activity_memcpy,
                                       cupti_activity_memset};

// Global, because CUPTI's callbacks get no user pointer; locked, because a CUPTI thread may run them.
std::mutex active_mutex;
CuptiProfiler* active = nullptr;

std::string cupti_text(const CuptiLibrary& library, int status) {
  const char* text = nullptr;
  if (library.get_result_string(status, &text) != cupti_success || text == nullptr) text = "unknown status";
  return std::string(text) + " (" + std::to_string(status) + ")";
}

// Measures the steady clock minus CUPTI's clock; both run at the same rate. Of 32 readings, takes the one
// that took the least time, because it is the most exact.
bool measure_offset(const CuptiLibrary& library, double& offset_seconds, int& status) {
  double shortest = 1e9;
  for (int i = 0; i < 32; ++i) {
    std::uint64_t cupti_ns = 0;
    const double before = steady_seconds();
    status = library.get_timestamp(&cupti_ns);
    const double after = steady_seconds();
    if (status != cupti_success) return false;
    if (after - before >= shortest) continue;
    shortest = after - before;
    offset_seconds = (before + after) / 2 - static_cast<double>(cupti_ns) * 1e-9;
  }
  return true;
}

// Demangles a kernel's name and cuts off the parameter list: "gemm_kernel<float>".
std::string readable(const char* name) {
  if (name == nullptr) return "unknown kernel";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      ::abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  std::string result = status == 0 && text ? text.get() : name;
  // Keeps "(anonymous namespace)::", which is not a parameter list.
  const std::size_t last = result.rfind('(');
  if (last != std::string::npos && last > 0 && result.compare(last, 10, "(anonymous") != 0)
    result.resize(last);
  return result;
}

}  // namespace

CuptiProfiler::CuptiProfiler(const CuptiLibrary& library, double clock_offset_seconds)
    : library_(library), clock_offset_seconds_(clock_offset_seconds) {}

ProfilerResult CuptiProfiler::start(const CuptiLibrary& library) {
  std::uint32_t version = 0;
  double offset_seconds = 0;
  int status = library.get_version(&version);
  if (status == cupti_success) {
    if (!measure_offset(library, offset_seconds, status))
      return {nullptr, "CUPTI gives no timestamps: " + cupti_text(library, status)};
    status = library.register_callbacks(&buffer_requested, &buffer_completed);
  }
  if (status != cupti_success) return {nullptr, "CUPTI could not start: " + cupti_text(library, status)};
  std::unique_ptr<CuptiProfiler> profiler;
  {
    const std::lock_guard lock(active_mutex);
    if (active != nullptr) return {nullptr, "another profile is being recorded in this process"};
    profiler.reset(new CuptiProfiler(library, offset_seconds));
    active = profiler.get();
  }
  for (const std::uint32_t kind : recorded_kinds) {
    status = library.enable(kind);
    if (status != cupti_success) {
      return {nullptr, "CUPTI refused to record: " + cupti_text(library, status)};
    }
  }
  return {std::move(profiler), "CUPTI API " + std::to_string(version)};
}

CuptiProfiler::~CuptiProfiler() {
  for (const std::uint32_t kind : recorded_kinds) (void)library_.disable(kind);
  (void)library_.flush_all(cupti_flush_forced);
  const std::lock_guard lock(active_mutex);
  if (active == this) active = nullptr;
}

void CuptiProfiler::buffer_requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records_max) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(buffer_alignment, buffer_bytes));
  *bytes = *buffer != nullptr ? buffer_bytes : 0;
  *records_max = 0;  // as many as fit
}

void CuptiProfiler::buffer_completed(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                                     std::size_t valid_bytes) {
  const std::unique_ptr<std::uint8_t, decltype(&std::free)> owner(buffer, &std::free);
  const std::lock_guard lock(active_mutex);
  if (active == nullptr) return;
  if (buffer != nullptr && valid_bytes > 0) active->read(buffer, valid_bytes);
  std::size_t dropped = 0;
  if (active->library_.dropped_records(context, stream, &dropped) == cupti_success)
    active->dropped_ += dropped;
}

void CuptiProfiler::read(std::uint8_t* buffer, std::size_t valid_bytes) {
  CuptiRecord* record = nullptr;
  while (library_.next_record(buffer, valid_bytes, &record) == cupti_success) add(*record);
}

double CuptiProfiler::to_seconds(std::uint64_t cupti_ns) const {
  return static_cast<double>(cupti_ns) * 1e-9 + clock_offset_seconds_;
}

void CuptiProfiler::add(const CuptiRecord& record) {
  const bool kernel = record.kind == cupti_activity_kernel || record.kind == cupti_activity_concurrent_kernel;
  if (!kernel && record.kind != cupti_activity_memcpy && record.kind != cupti_activity_memset) return;
  const auto& timed = reinterpret_cast<const CuptiTimedRecord&>(record);
  if (timed.start_ns == 0 || timed.end_ns < timed.start_ns) {
    ++dropped_;
    return;
  }
  Activity& activity = activities_.emplace_back();
  activity.start_seconds = to_seconds(timed.start_ns);
  // Subtracts as integers, because large doubles would lose the last nanoseconds.
  activity.end_seconds = activity.start_seconds + static_cast<double>(timed.end_ns - timed.start_ns) * 1e-9;
  if (kernel) {
    const auto& launched = reinterpret_cast<const CuptiKernelRecord&>(record);
    activity.name = readable(launched.name);
    activity.in_graph = launched.graph_node != 0;
  } else {
    activity.bytes = static_cast<std::int64_t>(timed.bytes);
    activity.in_graph = reinterpret_cast<const CuptiMemoryRecord&>(record).graph_node != 0;
    activity.kind = record.kind == cupti_activity_memcpy ? Activity::Kind::copy : Activity::Kind::fill;
    activity.name = activity.kind == Activity::Kind::copy ? "copy" : "fill";
  }
}

void CuptiProfiler::check(int status, const char* operation) const {
  if (status != cupti_success)
    throw Error(ErrorCode::device_failed, std::string(operation) + ": " + cupti_text(library_, status));
}

std::vector<Activity> CuptiProfiler::collect() {
  check(library_.flush_all(cupti_flush_forced), "collect activity records");
  const std::lock_guard lock(active_mutex);
  std::vector<Activity> collected = std::exchange(activities_, {});
  if (const std::size_t dropped = std::exchange(dropped_, 0); dropped > 0) {
    throw Error(ErrorCode::device_failed,
                "collect activity records: CUPTI dropped " + std::to_string(dropped) + " records");
  }
  std::ranges::stable_sort(collected, {}, &Activity::start_seconds);
  return collected;
}

namespace {

// The version of this module's CUDA runtime comes first, because another may not know the running driver.
FoundLibrary find_cupti() {
  const std::string versioned = "libcupti.so." + std::to_string(CUDART_VERSION / 1000);
  FoundLibrary found = open_library(versioned, LibrarySearch::everywhere);
  if (found.handle == nullptr) found.handle = open_library("libcupti.so", LibrarySearch::everywhere).handle;
  return found;
}

Opened<CuptiLibrary> open_cupti() {
  Opened<CuptiLibrary> opened;
  DynamicLibrary file("CUPTI", find_cupti());
  CuptiLibrary& library = opened.library;
  file.look_up("cuptiGetVersion", library.get_version);
  file.look_up("cuptiGetResultString", library.get_result_string);
  file.look_up("cuptiGetTimestamp", library.get_timestamp);
  file.look_up("cuptiActivityRegisterCallbacks", library.register_callbacks);
  file.look_up("cuptiActivityEnable", library.enable);
  file.look_up("cuptiActivityDisable", library.disable);
  file.look_up("cuptiActivityFlushAll", library.flush_all);
  file.look_up("cuptiActivityGetNextRecord", library.next_record);
  file.look_up("cuptiActivityGetNumDroppedRecords", library.dropped_records);
  opened.why = file.why();
  if (!file.is_open()) {
    opened.why +=
        std::string("; install it with the CUDA toolkit, or name its folder in ") + library_folders_variable;
  }
  return opened;
}

}  // namespace

const CuptiLibrary* cupti_library(std::string& why) {
  static const Opened<CuptiLibrary> opened = open_cupti();
  return opened.usable(why);
}

}  // namespace graphbench::cuda
