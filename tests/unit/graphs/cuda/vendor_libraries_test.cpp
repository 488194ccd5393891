// Tests the NVML monitor, this process's memory use and the CUPTI profiler with fake function tables, so
// without a GPU; and CUPTI's record layouts against the toolkit's headers, if those are installed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "graphs/base/error.hpp"
#include "graphs/cuda/nvml.hpp"
#include "graphs/cuda/profiling/cupti_profiler.hpp"

#if defined(__has_include)
#if __has_include(<cupti.h>)
#include <cupti.h>
#define HAVE_CUPTI_HEADERS 1
#endif
#endif

namespace graphbench::cuda {
namespace {

int users = 0;
int handle_status = nvml_success;
int power_status = nvml_success;

NvmlLibrary fake_nvml() {
  users = 0;
  handle_status = nvml_success;
  power_status = nvml_success;
  NvmlLibrary library;
  library.init = [] { return ++users, nvml_success; };
  library.shutdown = [] { return --users, nvml_success; };
  library.error_string = [](int status) { return status == 6 ? "Not Found" : "Not Supported"; };
  library.device_by_pci_bus_id = [](const char* bus_id, NvmlDevice* device) {
    *device = reinterpret_cast<NvmlDevice>(const_cast<char*>(bus_id));
    return handle_status;
  };
  library.clock_info = [](NvmlDevice, unsigned clock, unsigned* megahertz) {
    *megahertz = clock == nvml_clock_sm ? 1980u : 3201u;
    return nvml_success;
  };
  library.temperature = [](NvmlDevice, unsigned, unsigned* celsius) { return *celsius = 61, nvml_success; };
  library.power_usage = [](NvmlDevice, unsigned* milliwatts) { return *milliwatts = 412500, power_status; };
  library.throttle_reasons = [](NvmlDevice, unsigned long long* reasons) {
    return *reasons = 0x1 | 0x4, nvml_success;
  };
  return library;
}

TEST(NvmlMonitor, ReadsInBaseUnitsWhatTheGpuHasAndCloses) {
  const NvmlLibrary library = fake_nvml();
  MonitorResult opened = NvmlMonitor::open(library, "0000:1b:00.0");
  ASSERT_NE(opened.monitor, nullptr) << opened.detail;
  const facts::DeviceReading reading = opened.monitor->read();
  EXPECT_DOUBLE_EQ(*reading.sm_clock_hz, 1.98e9);
  EXPECT_DOUBLE_EQ(*reading.memory_clock_hz, 3.201e9);
  EXPECT_DOUBLE_EQ(*reading.temperature_celsius, 61);
  EXPECT_DOUBLE_EQ(*reading.power_watts, 412.5);
  EXPECT_EQ(reading.throttle, std::vector<std::string>{"sw_power_cap"});
  power_status = 3;
  EXPECT_FALSE(opened.monitor->read().power_watts.has_value()) << "a figure that the GPU lacks";
  EXPECT_TRUE(opened.monitor->read().sm_clock_hz.has_value());
  EXPECT_EQ(users, 1);
  opened.monitor.reset();
  EXPECT_EQ(users, 0);
}

TEST(NvmlMonitor, AnUnknownGpuIsAReasonAndLeavesNothingOpen) {
  const NvmlLibrary library = fake_nvml();
  handle_status = 6;
  const MonitorResult opened = NvmlMonitor::open(library, "0000:ff:00.0");
  EXPECT_EQ(opened.monitor, nullptr);
  EXPECT_NE(opened.detail.find("0000:ff:00.0"), std::string::npos) << opened.detail;
  EXPECT_NE(opened.detail.find("Not Found"), std::string::npos) << opened.detail;
  EXPECT_EQ(users, 0);
}

TEST(ThrottleNames, NameEveryBitButIdling) {
  EXPECT_TRUE(throttle_names(0x1).empty());
  EXPECT_EQ(throttle_names(0x40 | 0x1000),
            (std::vector<std::string>{"hw_thermal_slowdown", "reason_bit_12"}));
}

std::vector<NvmlProcess> listed;
unsigned long long free_now = 0;

class NvmlMemoryTest : public ::testing::Test {
 protected:
  NvmlMemoryTest() {
    listed = {{.pid = 7, .used_bytes = 70}};
    free_now = 1000;
    library_.memory_info = [](NvmlDevice, NvmlMemoryInfo* info) {
      return info->free = free_now, nvml_success;
    };
    library_.compute_processes = [](NvmlDevice, unsigned* count, NvmlProcess* list) {
      *count = static_cast<unsigned>(listed.size());
      std::ranges::copy(listed, list);
      return nvml_success;
    };
  }
  void expect(NvmlMemory& memory, std::size_t bytes, bool of_process) {
    const std::optional<MemoryUse> use = memory.read();
    ASSERT_TRUE(use.has_value());
    EXPECT_EQ(use->bytes, bytes);
    EXPECT_EQ(use->of_process, of_process);
  }
  NvmlLibrary library_;
};

TEST_F(NvmlMemoryTest, IsTheFigureOfTheProcessThatCameWithTheContext) {
  NvmlMemory memory(library_, nullptr);
  listed.push_back({.pid = 4'000'000, .used_bytes = 500});  // this process's id outside its container
  expect(memory, 500, true);
  listed = {{.pid = 9, .used_bytes = 1}, {.pid = 4'000'000, .used_bytes = 600}};
  expect(memory, 600, true);
  listed.pop_back();
  EXPECT_FALSE(memory.read().has_value());
}

TEST_F(NvmlMemoryTest, IsOfItsOwnNumberWhereSeveralCame) {
  NvmlMemory memory(library_, nullptr);
  listed.push_back({.pid = 8, .used_bytes = 1});
  listed.push_back({.pid = static_cast<unsigned>(getpid()), .used_bytes = 500});
  expect(memory, 500, true);
}

TEST_F(NvmlMemoryTest, IsWhatTheDeviceLostWhereNoProcessCanBeTold) {
  NvmlMemory memory(library_, nullptr);
  listed.push_back({.pid = 8, .used_bytes = 1});
  listed.push_back({.pid = 4'000'000, .used_bytes = 500});
  free_now = 400;
  expect(memory, 600, false);
  listed.pop_back();
  free_now = 300;
  expect(memory, 700, false);  // once `of_process` is false, it stays false
}

TEST_F(NvmlMemoryTest, AFigureThatNvmlDoesNotGiveIsNone) {
  NvmlMemory memory(library_, nullptr);
  listed.push_back({.pid = 8, .used_bytes = nvml_not_available});
  expect(memory, 0, false);
  library_.memory_info = [](NvmlDevice, NvmlMemoryInfo*) { return 3; };
  EXPECT_FALSE(memory.read().has_value());
}

#if defined(HAVE_CUPTI_HEADERS)
static_assert(offsetof(CUpti_ActivityKernel4, start) == offsetof(CuptiTimedRecord, start_ns));
static_assert(offsetof(CUpti_ActivityKernel4, end) == offsetof(CuptiTimedRecord, end_ns));
static_assert(offsetof(CUpti_ActivityKernel4, name) == offsetof(CuptiKernelRecord, name));
static_assert(offsetof(CUpti_ActivityMemset, start) == offsetof(CuptiTimedRecord, start_ns));
static_assert(offsetof(CUpti_ActivityKernel5, graphNodeId) == offsetof(CuptiKernelRecord, graph_node));
static_assert(offsetof(CUpti_ActivityMemcpy4, graphNodeId) == offsetof(CuptiMemoryRecord, graph_node));
static_assert(offsetof(CUpti_ActivityMemset3, graphNodeId) == offsetof(CuptiMemoryRecord, graph_node));
static_assert(offsetof(CUpti_ActivityMemcpy4, bytes) == offsetof(CuptiTimedRecord, bytes));
static_assert(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL == cupti_activity_concurrent_kernel);
static_assert(CUPTI_ACTIVITY_KIND_MEMSET == cupti_activity_memset);
#endif

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
