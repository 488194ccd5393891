// The clock probe against the GPU's own account of its fastest clock.
#include <algorithm>
#include <limits>

#include "gpu_fixture.hpp"
#include "graphs/cuda/device_kernels.hpp"

namespace graphbench::cuda {
namespace {

using ClockProbeTest = GpuTest;

TEST_F(ClockProbeTest, CountsTheCyclesOfAClockThatTheGpuCanHave) {
  const auto stream = device().make_stream();
  double quickest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 50; ++i) quickest = std::min(quickest, device().clock_probe_seconds(*stream).value());
  int fastest_khz = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&fastest_khz, cudaDevAttrClockRate, device().info().index), cudaSuccess);
  const double hz = static_cast<double>(clock_probe_cycles) / quickest;
  EXPECT_LT(hz, fastest_khz * 1e3 * 1.02);
  EXPECT_GT(hz, 100e6) << "an idle GPU's lowest clock is above that";
}

}  // namespace
}  // namespace graphbench::cuda
