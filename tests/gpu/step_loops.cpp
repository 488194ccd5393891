// libgraphbench_step_loops.so: graphbench's timing loop over a foreign step, for tests/torch/by_hand.py. If
// something fails, functions print it, and return a negative number or null.
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include "graphs/backends/registry.hpp"
#include "harness/measure/foreign/foreign_step.hpp"
#include "harness/measure/timing_loops.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace {

using graphbench::measure::ForeignExecutor;
using graphbench::measure::ForeignStep;

struct Loops {
  std::unique_ptr<graphbench::Device> device;
  std::unique_ptr<graphbench::Stream> stream;
  std::unique_ptr<ForeignStep> step;
  std::unique_ptr<ForeignExecutor> executor;
};

template <typename Call>
auto reported(Call&& call, decltype(call()) failed) -> decltype(call()) {
  try {
    return call();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "step_loops: %s\n", error.what());
    return failed;
  }
}

}  // namespace

extern "C" {

// `split`: one name of --split-ops, or empty. `pieces`: a value of --torch-pieces, or empty.
GB_EXPORT void* graphbench_loops_open(const gb_plugin* plugin, const char* device, const char* mode,
                                      std::int64_t batch, const char* split, const char* pieces) {
  return reported(
      [&]() -> void* {
        auto loops = std::make_unique<Loops>();
        loops->device = graphbench::open_device(device);
        loops->stream = loops->device->make_stream();
        graphbench::measure::Opening opening{.batch = batch,
                                             .mode = mode,
                                             .device_uuid = loops->device->info().uuid,
                                             .split_ops = {},
                                             .axes = {}};
        if (*split != '\0') opening.split_ops = {split};
        if (*pieces != '\0') opening.axes = {{"torch-pieces", pieces}};
        loops->step = std::make_unique<ForeignStep>(*plugin->steps[0], opening, *loops->stream);
        const bool eagerly = opening.mode == "eager";
        loops->executor =
            std::make_unique<ForeignExecutor>(*loops->device, *loops->stream, *loops->step, eagerly);
        for (int i = 0; i < 3; ++i) loops->executor->warm_up();
        loops->stream->synchronize();
        loops->executor->capture();
        loops->executor->instantiate();
        loops->executor->upload();
        loops->executor->submit();
        loops->stream->synchronize();
        return loops.release();
      },
      nullptr);
}

// Returns the median latency of `steps` steps, in seconds.
GB_EXPORT double graphbench_loops_latency(void* opened, std::int64_t steps) {
  using namespace graphbench::measure;
  auto& loops = *static_cast<Loops*>(opened);
  return reported(
      [&] {
        DurationBuffer submit(static_cast<std::size_t>(steps));
        SampleBuffer latency(static_cast<std::size_t>(steps));
        const StepUnderTest step{.executor = *loops.executor, .stream = *loops.stream};
        latency_loop<std::chrono::steady_clock>(steps, step, submit, latency);
        return graphbench::model::median(latency.seconds());
      },
      -1.0);
}

// Median submit time in seconds, of the step's parts together. If `bare`, of cudaGraphLaunch of its exec: the
// step must be one graph.
GB_EXPORT double graphbench_loops_submit(void* opened, bool bare, std::int64_t steps) {
  using Clock = std::chrono::steady_clock;
  auto& loops = *static_cast<Loops*>(opened);
  return reported(
      [&] {
        graphbench::GraphExec* const graph = loops.executor->exec_of(0);
        if (bare && graph == nullptr) throw std::runtime_error("the step launches its graph itself");
        auto* const exec = bare ? static_cast<cudaGraphExec_t>(graph->native_handle()) : nullptr;
        auto* const stream = static_cast<cudaStream_t>(loops.stream->native_handle());
        std::vector<double> seconds;
        for (std::int64_t i = 0; i < steps; ++i) {
          const std::int64_t nanoseconds = bare ? graphbench::measure::time_submit<Clock>(
                                                      *loops.stream, [&] { cudaGraphLaunch(exec, stream); })
                                                : graphbench::measure::time_submit<Clock>(
                                                      *loops.stream, [&] { loops.executor->submit(); });
          seconds.push_back(static_cast<double>(nanoseconds) * 1e-9);
        }
        return graphbench::model::median(std::move(seconds));
      },
      -1.0);
}

GB_EXPORT void graphbench_loops_close(void* opened) {
  delete static_cast<Loops*>(opened);
}
}
