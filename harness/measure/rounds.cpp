// Google Benchmark as the driver of the timing loops. Its own report is dropped: it keeps means, we
// keep every sample.
#include "harness/measure/rounds.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "graphs/ir/error.hpp"

namespace graphbench::measure {
namespace {

class DroppedReport final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

}  // namespace

std::int64_t next_round(const PassBounds& bounds, std::int64_t samples_taken, double seconds_used) {
  const std::int64_t left = bounds.samples_max - samples_taken;
  if (left <= 0) return 0;
  if (samples_taken == 0) return std::min<std::int64_t>(left, 1);
  if (seconds_used >= bounds.seconds_max)
    return std::clamp<std::int64_t>(bounds.samples_min - samples_taken, 0, left);
  const double seconds_each = std::max(seconds_used / static_cast<double>(samples_taken), 1e-9);
  const double affordable = std::min(std::ceil((bounds.seconds_max - seconds_used) / seconds_each), 1e9);
  const std::int64_t growth = std::max<std::int64_t>(samples_taken * 4, bounds.samples_min);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(affordable), 1, std::min(left, growth));
}

void run_round(const std::string& name, std::int64_t iterations,
               const std::function<void(benchmark::State&)>& loop) {
  std::exception_ptr failure;
  benchmark::RegisterBenchmark(name.c_str(),
                               [&](benchmark::State& state) {
                                 try {
                                   loop(state);
                                 } catch (...) {
                                   failure = std::current_exception();
                                   state.SkipWithError("the step failed");
                                 }
                               })
      ->UseManualTime()
      ->Iterations(iterations);
  DroppedReport report;
  const std::size_t runs = benchmark::RunSpecifiedBenchmarks(&report, nullptr, ".*");
  benchmark::ClearRegisteredBenchmarks();
  if (failure) std::rethrow_exception(failure);
  GRAPHBENCH_ASSERT(runs == 1);
}

}  // namespace graphbench::measure
