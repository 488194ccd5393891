// The clock probe against the driver's account of the GPU's fastest clock.
#include <algorithm>
#include <limits>

#include "gpu_fixture.hpp"
#include "graphs/cuda/device_facts.hpp"
#include "graphs/cuda/device_kernels.hpp"
#include "graphs/cuda/dynamic_library.hpp"
#include "graphs/cuda/nvml.hpp"

namespace graphbench::cuda {
namespace {

using ClockProbeTest = GpuTest;

// CUDA documents cudaDevAttrClockRate as the typical clock; NVML names the fastest.
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
  double quickest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 50; ++i) quickest = std::min(quickest, device().clock_probe_seconds(*stream).value());
  const double hz = static_cast<double>(clock_probe_cycles) / quickest;
  EXPECT_LT(hz, fastest_clock_hz(pci_bus_id_of(device().index())) * 1.02);
  EXPECT_GT(hz, 100e6) << "an idle GPU's lowest clock is above that";
}

}  // namespace
}  // namespace graphbench::cuda
