// Builds the program and hands it to the stages of a task, with a function that opens the device.
#include "harness/measure/worker/worker.hpp"

#include <filesystem>

#include "graphs/abi/plugin.hpp"
#include "graphs/backends/registry.hpp"
#include "graphs/ir/training/differentiate.hpp"
#include "harness/measure/machine/pinning.hpp"
#include "harness/measure/worker/startup_clock.hpp"
#include "harness/measure/worker/task_run.hpp"
#include "harness/package/package.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::worker {

namespace {

std::optional<package::Package> open_package(const model::WorkerTask& task) {
  if (task.package.file.empty()) return std::nullopt;
  return package::open_package(task.package.file, task.package.digest);
}

model::PackageUse use_of(const package::Package& package, const model::WorkerTask& task,
                         const StartupClock& clock) {
  model::PackageUse use{};
  use.bytes = static_cast<std::int64_t>(package.bytes);
  use.weights_bytes = static_cast<std::int64_t>(std::filesystem::file_size(task.package.weights));
  use.load_seconds = clock.startup().plugin_seconds;
  use.low_memory = task.package.low_memory;
  return use;
}

}  // namespace

void run_worker(const model::WorkerTask& task, const Tell& tell) {
  StartupClock clock(task.spawned_ns);
  abi::WorkloadRegistry registry;
  const std::optional<package::Package> package = open_package(task);
  if (!package) workloads::add_builtin(registry);
  for (const std::string& plugin : task.plugins) registry.load(plugin);
  const auto packaged = [&](package::Stage stage) {
    return package::program_of(*package, task.pass, task.preset, stage, registry.catalog());
  };
  const ir::Program program = package ? packaged(package::Stage::after) : build_program(registry, task);
  std::optional<ir::Program> evaluated;
  if (task.instruments.evaluate && ir::is_training(program))
    evaluated = package ? packaged(package::Stage::before) : build_forward_program(registry, task);
  TraceProgram traced;
  if (!task.instruments.shape_trace.steps.empty()) {
    traced = [&](std::int64_t sequence) {
      model::WorkerTask shaped = task;
      if (sequence > 0) shaped.options[model::sequence_option] = sequence;
      return build_program(registry, shaped);
    };
  }
  clock.lap(&model::Startup::plugin_seconds);
  if (package) clock.package = use_of(*package, task, clock);
  load_backend(task.device);
  clock.lap(&model::Startup::module_seconds);
  machine::SubmitterPin pin(task.instruments, machine::allowed_cpus(), !task.device.starts_with("host"));
  const auto open = [&] {
    std::unique_ptr<Device> device = open_device(task.device);
    if (!package || package->choices.empty()) return device;
    const std::size_t taken = device->offer_choices(package->choices);
    clock.package->plans = taken == package->choices.size() ? "package" : "chosen_at_load";
    return device;
  };
  TaskRun run{.task = task,
              .open = open,
              .program = program,
              .pin = pin,
              .tell = tell,
              .startup = clock,
              .evaluated = evaluated ? &*evaluated : nullptr,
              .traced = traced};
  run_task(run);
}

}  // namespace graphbench::worker
