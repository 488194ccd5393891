// Activity records of one GPU through CUPTI: every kernel, copy and fill, those in graphs one by one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphs/cuda/profiling/cupti_abi.hpp"
#include "graphs/device/profiler.hpp"

namespace graphbench::cuda {

class CuptiProfiler final : public ActivityProfiler {
 public:
  ~CuptiProfiler() override;
  CuptiProfiler(const CuptiProfiler&) = delete;
  CuptiProfiler& operator=(const CuptiProfiler&) = delete;

  // Begins to record. `library` outlives the profiler. At most one at a time.
  static ProfilerResult start(const CuptiLibrary& library);

  // Throws Error(device_failed) where CUPTI refuses or had to drop records: half a record of a step
  // would be taken for the whole.
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
  double clock_offset_seconds_;  // steady clock minus CUPTI's
  std::vector<Activity> activities_;
  std::size_t dropped_ = 0;
};

}  // namespace graphbench::cuda
