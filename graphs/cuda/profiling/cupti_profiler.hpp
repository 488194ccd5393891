// Records all kernels, copies and fills of one GPU through CUPTI, with and without graphs. Declares the part
// of CUPTI's C interface that this folder uses, so that the module builds without CUPTI's headers and loads
// without its library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "graphs/device/profiler.hpp"

namespace graphbench::cuda {

inline constexpr int cupti_success = 0;
inline constexpr int cupti_error_max_limit_reached = 12;  // the buffer has no more records

inline constexpr std::uint32_t cupti_activity_memcpy = 1;
inline constexpr std::uint32_t cupti_activity_memset = 2;
inline constexpr std::uint32_t cupti_activity_kernel = 3;
inline constexpr std::uint32_t cupti_activity_concurrent_kernel = 10;
inline constexpr std::uint32_t cupti_flush_forced = 1;

// The start of every record. New CUPTI versions append fields; only fields that exist since CUDA 11 are read.
// A test checks these layouts against the toolkit's headers.
struct CuptiRecord {
  std::uint32_t kind;
};

struct CuptiTimedRecord {
  std::uint32_t kind;
  std::uint8_t details[4];
  std::uint64_t bytes;     // of copies and fills
  std::uint64_t start_ns;  // CUPTI's clock; 0 if the time is unknown
  std::uint64_t end_ns;
};

struct CuptiKernelRecord {
  CuptiTimedRecord timed;
  std::uint8_t details[72];
  const char* name;  // owned by CUPTI; mangled
  std::uint8_t more[32];
  std::uint64_t graph_node;  // 0 if no graph launch ran it
};
struct CuptiMemoryRecord {
  CuptiTimedRecord timed;
  std::uint8_t details[32];
  std::uint64_t graph_node;
};
static_assert(offsetof(CuptiTimedRecord, start_ns) == 16 && offsetof(CuptiKernelRecord, name) == 104 &&
              offsetof(CuptiKernelRecord, graph_node) == 144 &&
              offsetof(CuptiMemoryRecord, graph_node) == 64);

// The functions of CUPTI that we call. Tests fill in their own functions.
struct CuptiLibrary {
  using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records_max);
  using BufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                   std::size_t bytes, std::size_t valid_bytes);
  int (*get_version)(std::uint32_t* version) = nullptr;
  int (*get_result_string)(int status, const char** text) = nullptr;
  int (*get_timestamp)(std::uint64_t* nanoseconds) = nullptr;
  int (*register_callbacks)(BufferRequested requested, BufferCompleted completed) = nullptr;
  int (*enable)(std::uint32_t kind) = nullptr;
  int (*disable)(std::uint32_t kind) = nullptr;
  int (*flush_all)(std::uint32_t flag) = nullptr;
  int (*next_record)(std::uint8_t* buffer, std::size_t valid_bytes, CuptiRecord** record) = nullptr;
  int (*dropped_records)(void* context, std::uint32_t stream, std::size_t* dropped) = nullptr;
};

// Opens CUPTI once per process. Call this function only to profile, because CUPTI may slow a process down.
// Null if CUPTI cannot be used; `why` then has the reason and a remedy.
const CuptiLibrary* cupti_library(std::string& why);

class CuptiProfiler final : public ActivityProfiler {
 public:
  ~CuptiProfiler() override;
  CuptiProfiler(const CuptiProfiler&) = delete;
  CuptiProfiler& operator=(const CuptiProfiler&) = delete;

  // `library` must outlive the profiler. Only one profiler may exist at a time.
  static ProfilerResult start(const CuptiLibrary& library);

  // Throws Error(device_failed) if CUPTI fails or dropped records: the rest would look like a complete step.
  std::vector<Activity> collect() override;

 private:
  CuptiProfiler(const CuptiLibrary& library, double clock_offset_seconds);

  static void buffer_requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records_max);
  static void buffer_completed(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes,
                               std::size_t valid_bytes);
  void read(std::uint8_t* buffer, std::size_t valid_bytes);
  void add(const CuptiRecord& record);
  double to_seconds(std::uint64_t cupti_ns) const;
  void check(int status, const char* operation) const;

  const CuptiLibrary& library_;
  double clock_offset_seconds_;
  std::vector<Activity> activities_;
  std::size_t dropped_ = 0;
};

}  // namespace graphbench::cuda
