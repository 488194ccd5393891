// Tests on a GPU: CUPTI records against event times, NVML, the clock probe, forked captures, tuned choices.
#include <algorithm>
#include <cmath>
#include <vector>

#include "gpu_fixture.hpp"
#include "graphs/cuda/device_facts.hpp"
#include "graphs/cuda/device_kernels.hpp"
#include "graphs/cuda/dynamic_library.hpp"
#include "graphs/cuda/nvml.hpp"
#include "graphs/device/cache/folder.hpp"
#include "harness/measure/worker/profile_summary.hpp"
#include "tests/support/small_programs.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench::cuda {
namespace {

using InstrumentsTest = GpuTest;

OpCase one_product() {
  const ir::DType type = ir::DType::fp32;
  return {"linear",
          {{"bias", std::int64_t{0}}, {"residual", std::int64_t{0}}, {"activation", std::string("none")}},
          {random_tensor(type, {64, 256}, 1), random_tensor(type, {128, 256}, 2)},
          {{type, {64, 128}}}};
}

// Each device has its own tuner, so the second device stands for a second process.
TEST_F(InstrumentsTest, ChoicesAreFoundInTheCacheAndMadeAgainWhereTheyAreDamaged) {
  const test::TemporaryFolder folder;
  CudaDeviceOptions options;
  options.tuning = TuningSettings{};
  options.tuning->cache_folder = folder.path();
  CudaDevice first(0, options);
  run(one_product(), first);
  ASSERT_TRUE(first.cache_use());
  EXPECT_EQ(first.cache_use()->misses, 1);
  EXPECT_EQ(first.cache_use()->hits, 0);

  CudaDevice second(0, options);
  run(one_product(), second);
  EXPECT_EQ(second.cache_use()->misses, 0);
  EXPECT_EQ(second.cache_use()->hits, 1);
  EXPECT_GT(second.cache_use()->seconds_saved, 0);
  EXPECT_TRUE(second.library_choices().front().hit);
  EXPECT_EQ(second.library_choices().front().algorithm, first.library_choices().front().algorithm);

  const auto kept = cache::files_in(folder.path());
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(cache::content_of(kept.front().path).parts.front().second, "matmul");
  std::filesystem::resize_file(kept.front().path, kept.front().bytes - 1);
  CudaDevice third(0, options);
  run(one_product(), third);
  EXPECT_EQ(third.cache_use()->refused, 1);
  EXPECT_EQ(third.cache_use()->misses, 1);
  EXPECT_EQ(cache::content_of(kept.front().path).why_not, "");
}

TEST_F(InstrumentsTest, ChoicesTellWhatAProductUsesOnce) {
  CudaDeviceOptions options;
  options.tuning = TuningSettings{};  // cache_folder is empty: no cache
  CudaDevice own(0, options);
  EXPECT_TRUE(own.library_choices().empty());
  EXPECT_FALSE(own.cache_use());
  for (int i = 0; i < 2; ++i) run(one_product(), own);
  const std::vector<facts::LibraryChoice> choices = own.library_choices();
  ASSERT_EQ(choices.size(), 1u);
  EXPECT_FALSE(choices.front().key.empty());
  EXPECT_FALSE(choices.front().algorithm.empty());
  EXPECT_TRUE(choices.front().timed);
  EXPECT_FALSE(choices.front().hit);
}

OpCase one_convolution() {
  const ir::DType type = ir::DType::fp16;
  return {"conv2d",
          {{"bias", std::int64_t{0}},
           {"residual", std::int64_t{0}},
           {"padding", std::int64_t{1}},
           {"stride", std::int64_t{1}},
           {"activation", std::string("none")}},
          {random_tensor(type, {2, 14, 14, 64}, 1), random_tensor(type, {64, 3, 3, 64}, 2, -0.2, 0.2)},
          {{type, {2, 14, 14, 64}}}};
}

// First round: cuDNN's own text of a plan. Second round: text that is no plan, so its name builds the plan.
TEST_F(InstrumentsTest, PlansThatCudnnWroteDownAreReadAndElseBuiltByName) {
  CudaDeviceOptions options;
  options.tuning = TuningSettings{};
  CudaDevice first(0, options);
  if (first.info().libraries.at("cudnn").starts_with("none")) GTEST_SKIP() << "needs cuDNN";
  const OpResult wanted = run(one_convolution(), first);
  if (wanted.path.name != "conv2d:cudnn") GTEST_SKIP() << "cuDNN has no plan for it";
  std::vector<cache::Entry> kept = first.kept_choices();
  ASSERT_EQ(kept.size(), 1u);
  cache::Choice choice = cache::split_choice(kept.front().content);
  ASSERT_TRUE(choice.serialised.starts_with("{")) << choice.serialised.substr(0, 80);
  for (const std::string word : {"serialised", "engine"}) {
    CudaDevice later(0, options);
    EXPECT_EQ(later.offer_choices(kept), 1u);
    EXPECT_EQ(run(one_convolution(), later).bytes.back(), wanted.bytes.back()) << word;
    ASSERT_EQ(later.library_choices().size(), 1u);
    const facts::LibraryChoice made = later.library_choices().front();
    EXPECT_EQ(made.plan, word);
    EXPECT_EQ(made.algorithm, choice.algorithm);
    EXPECT_TRUE(made.timed && made.hit);
    choice.serialised = "{\"not\": \"a plan\"}";
    kept.front().content = cache::join_choice(choice);
  }
}

// The graph is that of transformer layers. Kernels that only write (a large fill) would not do: with
// activity records each lasts about 5 us longer, as it then ends only when its writes have left the caches.
TEST_F(InstrumentsTest, EventTimeOfAReplayIsBusyTimeAndGaps) {
  constexpr std::int64_t batch = 256;
  constexpr int chain_layers = 8;
  const ir::OpCatalog catalog;
  const auto stream = device().make_stream();
  test::Rig rig(device(), *stream, test::make_chain(catalog, chain_layers, 1024, ir::DType::bf16), batch,
                test::Rig::Layout::together);
  const auto exec = test::Rig::prepare(execution::ExecutionMode::whole, rig.context(), batch);
  // A product whose columns are divided among two kernels has two nodes.
  const auto kernels = static_cast<std::size_t>(exec->counts().graphs.contents.nodes);
  ASSERT_GE(kernels, 3u * chain_layers);
  const auto begin = device().make_event();
  const auto end = device().make_event();
  // Only a burst's last replay counts: reading the records is a pause, after which the clocks are lower.
  constexpr int bursts = 9;
  constexpr int burst = 20;
  // Events come before records: with activity records the host takes longer to launch, and on an idle stream
  // the time between the first event and the launch would count as the step's.
  std::vector<double> event_seconds;
  for (int i = 0; i < bursts * burst; ++i) {
    begin->record(*stream);
    exec->submit();
    end->record(*stream);
    stream->synchronize();
    if (i % burst == burst - 1) event_seconds.push_back(end->seconds_since(*begin));
  }
  const ProfilerResult records = device().make_profiler();
  if (records.profiler == nullptr) GTEST_SKIP() << records.detail;
  std::vector<measure::RecordedStep> steps;
  for (int i = 0; i < bursts; ++i) {
    for (int replay = 0; replay < burst; ++replay) exec->submit();
    stream->synchronize();
    const std::vector<Activity> all = records.profiler->collect();
    ASSERT_EQ(all.size(), kernels * burst);
    steps.push_back({0, {all.end() - static_cast<std::ptrdiff_t>(kernels), all.end()}});
  }
  std::sort(event_seconds.begin(), event_seconds.end());
  const double device_seconds = event_seconds[event_seconds.size() / 2];
  const model::Profile profile = measure::summarize_profile(steps);
  const double recorded = profile.busy_seconds + profile.gap_seconds;
  EXPECT_LE(std::abs(device_seconds - recorded), std::max(1e-6, 0.02 * device_seconds))
      << "events say " << device_seconds << " s, records " << recorded << " s";
}

TEST_F(InstrumentsTest, MonitorReadsClocksAndTemperature) {
  const MonitorResult opened = device().make_monitor();
  if (opened.monitor == nullptr) GTEST_SKIP() << opened.detail;
  const facts::DeviceReading reading = opened.monitor->read();
  ASSERT_TRUE(reading.sm_clock_hz.has_value());
  EXPECT_GT(*reading.sm_clock_hz, 1e8);
  ASSERT_TRUE(reading.temperature_celsius.has_value());
  EXPECT_GT(*reading.temperature_celsius, 0);
}

TEST_F(InstrumentsTest, AForkedCaptureHoldsEveryBranch) {
  const auto first = device().make_stream();
  const auto second = device().make_stream();
  const auto fork = device().make_event();
  const auto join = device().make_event();
  const auto kernel = device().make_empty_kernel();
  first->begin_capture();
  fork->record(*first);
  second->wait(*fork);
  kernel->launch(*first, nullptr);
  kernel->launch(*second, nullptr);
  join->record(*second);
  first->wait(*join);
  const auto graph = first->end_capture();
  EXPECT_EQ(graph->node_count(), 2u);
  const auto exec = graph->instantiate();
  exec->launch(*first);
  first->synchronize_blocking();
}

using ClockProbeTest = GpuTest;

// NVML reports the fastest clock; CUDA documents that cudaDevAttrClockRate is the typical one.
double fastest_clock_hz(const std::string& bus_id) {
  std::string why;
  const NvmlLibrary* nvml = nvml_library(why);
  int (*max_clock)(NvmlDevice, unsigned, unsigned*) = nullptr;
  DynamicLibrary("NVML", {"libnvidia-ml.so.1"}).look_up("nvmlDeviceGetMaxClockInfo", max_clock);
  NvmlDevice gpu = nullptr;
  unsigned megahertz = 0;
  const bool known = nvml != nullptr && max_clock != nullptr &&
                     nvml->device_by_pci_bus_id(bus_id.c_str(), &gpu) == nvml_success &&
                     max_clock(gpu, nvml_clock_sm, &megahertz) == nvml_success;
  EXPECT_TRUE(known) << "NVML does not say the fastest clock of " << bus_id << ": " << why;
  return megahertz * 1e6;
}

TEST_F(ClockProbeTest, CountsTheCyclesOfAClockThatTheGpuCanHave) {
  const auto stream = device().make_stream();
  std::vector<double> probes(50);
  for (double& seconds : probes) seconds = device().clock_probe_seconds(*stream).value();
  std::ranges::nth_element(probes, probes.begin() + 5);
  const double hz = static_cast<double>(clock_probe_cycles) / probes[5];
  // NVML's maximum was 1.980 GHz for two H100s that ran at 1.995 (host's clock) and 2.040 (device's clock).
  EXPECT_LT(hz, fastest_clock_hz(pci_bus_id_of(device().index())) * 1.05);
  EXPECT_GT(hz, 100e6) << "an idle GPU's lowest clock is above that";
}

}  // namespace
}  // namespace graphbench::cuda
