// Sets a batch up, stage by stage. The order of the stages is part of the measurement.
#include "harness/measure/worker/rig.hpp"

#include <algorithm>

#include "graphs/base/clock.hpp"

namespace graphbench::measure {
namespace {

double seconds_of(const std::function<void()>& stage) {
  const Stopwatch watch;
  stage();
  return watch.seconds();
}

}  // namespace

Rig::Rig(const model::WorkerTask& task, Device& device)
    : task_(task),
      device_(device),
      stream_(task.settings.caller.capture_stream == "default" ? device.default_stream()
                                                               : device.make_stream()) {}

std::unique_ptr<execution::Executor> Rig::prepare(std::int64_t batch, model::Setup& setup,
                                                  const std::function<void(std::string_view)>& phase,
                                                  bool eagerly) {
  std::unique_ptr<execution::Executor> executor;
  phase("prepare");
  setup.prepare_seconds = seconds_of([&] { executor = make_executor(batch, eagerly); });
  set_up(*executor, setup, phase, task_.warmup);
  if (const auto between = between_captures(batch)) {
    setup.break_seconds = std::min(*between, setup.capture_seconds);
    setup.capture_seconds -= *setup.break_seconds;
  }
  return executor;
}

void Rig::set_up(execution::Executor& executor, model::Setup& setup,
                 const std::function<void(std::string_view)>& phase, std::int64_t warmups) {
  phase("warmup");
  setup.warmup_seconds = seconds_of([&] {
    for (std::int64_t i = 0; i < warmups; ++i) executor.warm_up();
    stream_->synchronize();
  });
  if (&executor.eager() == &executor) return;
  device_.synchronize();
  before_capture();
  phase("capture");
  setup.capture_seconds = seconds_of([&] { executor.capture(); });
  setup.instantiate_seconds = seconds_of([&] { executor.instantiate(); });
  setup.upload_seconds = seconds_of([&] {
    executor.upload();
    stream_->synchronize();
  });
}

}  // namespace graphbench::measure
