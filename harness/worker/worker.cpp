// Builds the program and hands it to the ladder, with a function that opens the device.
#include "harness/worker/worker.hpp"

#include "graphs/abi/plugin.hpp"
#include "graphs/backends/registry.hpp"
#include "graphs/ir/training/differentiate.hpp"
#include "harness/machine/pinning.hpp"
#include "harness/worker/ladder.hpp"
#include "harness/worker/startup_clock.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::worker {

void run_worker(const model::WorkerTask& task, WorkerEvents& events) {
  StartupClock clock(task.spawned_ns);
  abi::WorkloadRegistry registry;
  workloads::add_builtin(registry);
  for (const std::string& plugin : task.plugins) registry.load(plugin);
  const ir::Program program = build_program(registry, task);
  std::optional<ir::Program> evaluated;
  if (task.instruments.evaluate && ir::is_training(program))
    evaluated = build_forward_program(registry, task);
  TraceProgram traced;
  if (!task.instruments.shape_trace.steps.empty()) {
    traced = [&](std::int64_t sequence) {
      model::WorkerTask shaped = task;
      if (sequence > 0) shaped.options[model::sequence_option] = sequence;
      return build_program(registry, shaped);
    };
  }
  clock.lap(&model::Startup::plugin_seconds);
  load_backend(task.device);
  clock.lap(&model::Startup::module_seconds);
  machine::SubmitterPin pin(task.instruments, machine::allowed_cpus(), !task.device.starts_with("host"));
  Ladder(
      task, [&task] { return open_device(task.device); }, program, pin, events, clock,
      evaluated ? &*evaluated : nullptr, traced)
      .run();
}

}  // namespace graphbench::worker
