// The CUPTI profiler against a table of functions of its own, and its record layouts against the
// toolkit's headers where those are installed.
#include "graphs/cuda/profiling/cupti_profiler.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "graphs/base/error.hpp"

#if defined(__has_include)
#if __has_include(<cupti.h>)
#include <cupti.h>
#define HAVE_CUPTI_HEADERS 1
#endif
#endif

namespace graphbench::cuda {
namespace {

#if defined(HAVE_CUPTI_HEADERS)
static_assert(offsetof(CUpti_ActivityKernel4, start) == offsetof(CuptiTimedRecord, start_ns));
static_assert(offsetof(CUpti_ActivityKernel4, end) == offsetof(CuptiTimedRecord, end_ns));
static_assert(offsetof(CUpti_ActivityKernel4, name) == offsetof(CuptiKernelRecord, name));
static_assert(offsetof(CUpti_ActivityMemset, start) == offsetof(CuptiTimedRecord, start_ns));
static_assert(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL == cupti_activity_concurrent_kernel);
static_assert(CUPTI_ACTIVITY_KIND_MEMSET == cupti_activity_memset);
#endif

// What the fake library holds until it is flushed.
struct Fake {
  CuptiLibrary::BufferRequested requested = nullptr;
  CuptiLibrary::BufferCompleted completed = nullptr;
  std::vector<CuptiKernelRecord> pending;
  std::size_t dropped = 0;
  int enabled = 0;
  int enable_status = cupti_success;
};
Fake fake;

CuptiKernelRecord record(std::uint32_t kind, std::uint64_t start_ns, std::uint64_t end_ns, const char* name) {
  CuptiKernelRecord made{};
  made.timed.kind = kind;
  made.timed.start_ns = start_ns;
  made.timed.end_ns = end_ns;
  made.name = name;
  return made;
}

int flush(std::uint32_t) {
  std::uint8_t* buffer = nullptr;
  std::size_t bytes = 0;
  std::size_t records_max = 1;
  fake.requested(&buffer, &bytes, &records_max);
  const std::size_t valid = fake.pending.size() * sizeof(CuptiKernelRecord);
  if (bytes < valid) return 8;
  if (valid > 0) std::memcpy(buffer, fake.pending.data(), valid);
  fake.pending.clear();
  fake.completed(nullptr, 0, buffer, bytes, valid);
  return cupti_success;
}

int next(std::uint8_t* buffer, std::size_t valid, CuptiRecord** at) {
  auto* place = *at == nullptr ? buffer : reinterpret_cast<std::uint8_t*>(*at) + sizeof(CuptiKernelRecord);
  if (place >= buffer + valid) return cupti_error_max_limit_reached;
  *at = reinterpret_cast<CuptiRecord*>(place);
  return cupti_success;
}

CuptiLibrary fake_library() {
  fake = {};
  CuptiLibrary library;
  library.get_version = [](std::uint32_t* version) { return *version = 130001, cupti_success; };
  library.get_result_string = [](int, const char** text) { return *text = "REFUSED", cupti_success; };
  library.get_timestamp = [](std::uint64_t* nanoseconds) { return *nanoseconds = 1000, cupti_success; };
  library.register_callbacks = [](CuptiLibrary::BufferRequested requested,
                                  CuptiLibrary::BufferCompleted completed) {
    fake.requested = requested;
    fake.completed = completed;
    return cupti_success;
  };
  library.enable = [](std::uint32_t) { return ++fake.enabled, fake.enable_status; };
  library.disable = [](std::uint32_t) { return --fake.enabled, cupti_success; };
  library.flush_all = &flush;
  library.next_record = &next;
  library.dropped_records = [](void*, std::uint32_t, std::size_t* dropped) {
    return *dropped = fake.dropped, cupti_success;
  };
  return library;
}

TEST(CuptiProfiler, ReportsKernelsCopiesAndFillsInOrder) {
  const CuptiLibrary library = fake_library();
  const ProfilerResult started = CuptiProfiler::start(library);
  ASSERT_NE(started.profiler, nullptr) << started.detail;
  fake.pending = {record(cupti_activity_memcpy, 5000, 6000, nullptr),
                  record(cupti_activity_concurrent_kernel, 2000, 4500, "_Z4gemmIfEvPT_i"),
                  record(cupti_activity_memset, 7000, 7100, nullptr)};
  const std::vector<Activity> activities = started.profiler->collect();
  ASSERT_EQ(activities.size(), 3u);
  EXPECT_EQ(activities[0].name, "void gemm<float>");
  EXPECT_EQ(activities[0].kind, Activity::Kind::kernel);
  EXPECT_NEAR(activities[0].end_seconds - activities[0].start_seconds, 2.5e-6, 1e-9);
  EXPECT_NEAR(activities[1].start_seconds - activities[0].start_seconds, 3e-6, 1e-9);
  EXPECT_EQ(activities[1].kind, Activity::Kind::copy);
  EXPECT_EQ(activities[2].kind, Activity::Kind::fill);
  EXPECT_TRUE(started.profiler->collect().empty());
}

TEST(CuptiProfiler, RefusesAnIncompleteRecording) {
  const CuptiLibrary library = fake_library();
  const ProfilerResult started = CuptiProfiler::start(library);
  fake.dropped = 2;
  EXPECT_THROW(started.profiler->collect(), Error);
  fake.dropped = 0;
  fake.pending = {record(cupti_activity_concurrent_kernel, 0, 0, "lost")};
  EXPECT_THROW(started.profiler->collect(), Error);
}

TEST(CuptiProfiler, ARefusalIsAReason) {
  const CuptiLibrary library = fake_library();
  fake.enable_status = 35;
  const ProfilerResult started = CuptiProfiler::start(library);
  EXPECT_EQ(started.profiler, nullptr);
  EXPECT_NE(started.detail.find("REFUSED (35)"), std::string::npos) << started.detail;
}

TEST(CuptiProfiler, OneAtATimeAndTheNextAfterIt) {
  const CuptiLibrary library = fake_library();
  {
    const ProfilerResult first = CuptiProfiler::start(library);
    EXPECT_EQ(CuptiProfiler::start(library).profiler, nullptr);
    EXPECT_EQ(fake.enabled, 3);
  }
  EXPECT_EQ(fake.enabled, 0);
  EXPECT_NE(CuptiProfiler::start(library).profiler, nullptr);
}

}  // namespace
}  // namespace graphbench::cuda
