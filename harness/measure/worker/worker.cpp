// Builds the program and hands it to the stages of a task, with a function that opens the device. Connects
// the worker to stdin and file descriptor 3.
#include "harness/measure/worker/worker.hpp"

#include <exception>
#include <filesystem>

#include "graphs/abi/plugin.hpp"
#include "graphs/backends/registry.hpp"
#include "graphs/base/process/child_io.hpp"
#include "graphs/ir/training/differentiate.hpp"
#include "harness/measure/foreign/foreign_rig.hpp"
#include "harness/measure/machine/pinning.hpp"
#include "harness/measure/ranks/rank.hpp"
#include "harness/measure/worker/startup_clock.hpp"
#include "harness/measure/worker/task_rig.hpp"
#include "harness/measure/worker/task_run.hpp"
#include "harness/measure/worker/worker_fields.hpp"
#include "harness/package/package.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::measure {

namespace {

model::PackageUse use_of(const package::Package& package, const model::WorkerTask& task,
                         const StartupClock& clock) {
  model::PackageUse use{};
  use.bytes = static_cast<std::int64_t>(package.bytes);
  use.weights_bytes = static_cast<std::int64_t>(std::filesystem::file_size(task.settings.package.weights));
  use.load_seconds = clock.startup().plugin_seconds;
  use.low_memory = task.settings.package.low_memory;
  return use;
}

Work work_of(const abi::LentPlugin* lent) {
  return lent != nullptr ? Work::lent_step : Work::programs;
}

void load_module(const model::WorkerTask& task, StartupClock& clock, Work work) {
  clock.lap(&model::Startup::plugin_seconds);
  load_backend(task.device, work);
  clock.lap(&model::Startup::module_seconds);
}

SubmitterPin pin_of(const model::WorkerTask& task, const Rank& rank = {}) {
  return SubmitterPin(task.settings.instruments, rank.share_of(allowed_cpus()),
                      !task.device.starts_with("host"));
}

void run_step(const model::WorkerTask& task, const Tell& tell, StartupClock& clock, const gb_step& step,
              Work work) {
  load_module(task, clock, work);
  const Rank rank = Rank::join();
  SubmitterPin pin = pin_of(task, rank);
  const auto phase = [&](std::int64_t batch, std::string_view name) {
    tell({.batch = batch, .phase = std::string(name)});
  };
  TaskRun run{
      .task = task,
      .open = [&] { return open_device(task.device, work); },
      .make_rig =
          [&](Device& device) { return std::make_unique<ForeignRig>(task, device, step, phase, rank); },
      .pin = pin,
      .tell = tell,
      .startup = clock,
      .rank = rank,
      .placements = 1};
  run_task(run);
}

void run_program(const model::WorkerTask& task, const Tell& tell, StartupClock& clock,
                 const abi::WorkloadRegistry& registry, const std::optional<package::Package>& package) {
  const auto packaged = [&](package::Stage stage) {
    return package::program_of(*package, task.pass, task.preset, stage, registry.catalog());
  };
  const ir::Program program = package ? packaged(package::Stage::after) : build_program(registry, task);
  std::optional<ir::Program> evaluated;
  if (task.settings.instruments.evaluate && ir::is_training(program))
    evaluated = package ? packaged(package::Stage::before) : build_forward_program(registry, task);
  TraceProgram traced;
  if (!task.settings.instruments.shape_trace.steps.empty()) {
    traced = [&](std::int64_t sequence) {
      model::WorkerTask shaped = task;
      if (sequence > 0) shaped.options[model::sequence_option] = sequence;
      return build_program(registry, shaped);
    };
  }
  load_module(task, clock, Work::programs);
  if (package) clock.package = use_of(*package, task, clock);
  SubmitterPin pin = pin_of(task);
  const auto open = [&] {
    std::unique_ptr<Device> device = open_device(task.device);
    if (!package || package->choices.empty()) return device;
    const std::size_t taken = device->offer_choices(package->choices);
    clock.package->plans = taken == package->choices.size() ? "package" : "chosen_at_load";
    return device;
  };
  TaskRun run{.task = task,
              .open = open,
              .make_rig = [&](Device& device) { return std::make_unique<TaskRig>(task, device, program); },
              .pin = pin,
              .tell = tell,
              .startup = clock,
              .program = &program,
              .evaluated = evaluated ? &*evaluated : nullptr,
              .traced = traced};
  run_task(run);
}

}  // namespace

void on_placement(const model::WorkerTask& asked, StartupClock& clock, const abi::LentPlugin* lent,
                  const std::function<void()>& alive, const std::function<void(Placement&)>& work) {
  abi::WorkloadRegistry registry;
  workloads::add_builtin(registry);
  for (const std::string& plugin : asked.settings.plugins) registry.load(plugin);
  if (lent != nullptr) registry.add(*lent->plugin, lent->origin);
  model::WorkerTask task = asked;
  task.batches.clear();
  const gb_step* const step = registry.step(task.workload);
  std::optional<ir::Program> program;
  if (step == nullptr) program = build_program(registry, task);
  load_module(task, clock, work_of(lent));
  SubmitterPin pin = pin_of(task);
  const auto make_rig = [&](Device& device) -> std::unique_ptr<Rig> {
    if (program) return std::make_unique<TaskRig>(task, device, *program);
    return std::make_unique<ForeignRig>(task, device, *step,
                                        [&](std::int64_t, std::string_view) { alive(); });
  };
  Placement placement(
      task, [&] { return open_device(task.device, work_of(lent)); }, make_rig, pin);
  clock.lap(&model::Startup::context_seconds);
  work(placement);
}

void run_worker(const model::WorkerTask& task, const Tell& tell, const abi::LentPlugin* lent) {
  StartupClock clock(task.spawned_ns);
  abi::WorkloadRegistry registry;
  std::optional<package::Package> package;
  if (task.settings.package.file.empty()) {
    workloads::add_builtin(registry);
  } else {
    package = package::open_package(task.settings.package.file, task.settings.package.digest);
  }
  for (const std::string& plugin : task.settings.plugins) registry.load(plugin);
  if (lent != nullptr) registry.add(*lent->plugin, lent->origin);
  const gb_step* const step = package ? nullptr : registry.step(task.workload);
  if (step != nullptr) {
    run_step(task, tell, clock, *step, work_of(lent));
  } else {
    run_program(task, tell, clock, registry, package);
  }
}

int worker_main(std::string_view parent, const abi::LentPlugin* lent) {
  return process::child_main("worker", parent, [&](const std::string& request) {
    const auto tell = [&](WorkerEvent event) {
      if (lent != nullptr && event.device)
        event.device->libraries[lent->plugin->name] = lent->plugin->version;
      process::send_line(model::write_data(event));
    };
    try {
      run_worker(model::read_data<model::WorkerTask>(request, "read worker task"), tell, lent);
      return 0;
    } catch (const std::exception& error) {
      process::send_line(model::write_data(WorkerEvent{.error = model::reason_of(error)}));
      return 1;
    }
  });
}

}  // namespace graphbench::measure
