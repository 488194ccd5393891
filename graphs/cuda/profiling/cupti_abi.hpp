// The part of CUPTI's C interface that activity recording takes, declared here so that the module
// builds without CUPTI's headers and loads without its library.
//
// Record structures grow at their end from version to version. What is read of them is the part that
// every version since CUDA 9 begins with; a test holds it to the toolkit's headers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace graphbench::cuda {

inline constexpr int cupti_success = 0;
inline constexpr int cupti_error_max_limit_reached = 12;  // no more records in a buffer

inline constexpr std::uint32_t cupti_activity_memcpy = 1;
inline constexpr std::uint32_t cupti_activity_memset = 2;
inline constexpr std::uint32_t cupti_activity_kernel = 3;
inline constexpr std::uint32_t cupti_activity_concurrent_kernel = 10;
inline constexpr std::uint32_t cupti_flush_forced = 1;

// The start of every record.
struct CuptiRecord {
  std::uint32_t kind;
};

// Copies, fills and kernels alike.
struct CuptiTimedRecord {
  std::uint32_t kind;
  std::uint8_t details[12];
  std::uint64_t start_ns;  // of CUPTI's clock; 0 where the times could not be taken
  std::uint64_t end_ns;
};

struct CuptiKernelRecord {
  CuptiTimedRecord timed;
  std::uint8_t details[72];
  const char* name;  // owned by CUPTI; mangled
};
static_assert(offsetof(CuptiTimedRecord, start_ns) == 16 && offsetof(CuptiKernelRecord, name) == 104);

// The functions used, as libcupti exports them. Tests fill in a table of their own.
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

}  // namespace graphbench::cuda
