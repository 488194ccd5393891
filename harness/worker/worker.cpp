// Opens the device, builds the program and hands both to the ladder.
#include "harness/worker/worker.hpp"

#include "graphs/abi/plugin.hpp"
#include "graphs/device/registry.hpp"
#include "harness/machine/pinning.hpp"
#include "harness/worker/ladder.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::worker {

model::DeviceFacts to_model(const DeviceInfo& info) {
  return {.kind = info.kind,
          .name = info.name,
          .uuid = info.uuid,
          .compute_capability = info.compute_capability,
          .memory_bytes = static_cast<std::int64_t>(info.memory_bytes),
          .driver = info.driver,
          .runtime = info.runtime,
          .libraries = info.libraries};
}

void run_worker(const model::WorkerTask& task, WorkerEvents& events) {
  abi::WorkloadRegistry registry;
  workloads::add_builtin(registry);
  for (const std::string& plugin : task.plugins) registry.load(plugin);
  const ir::Program program = build_program(registry, task);
  const std::unique_ptr<Device> device = open_device(task.device);
  events.device(to_model(device->info()));
  const machine::SubmitterPin pin(task.instruments, machine::allowed_cpus());
  pin.keep_others_off();
  Ladder ladder(task, *device, program, events);
  pin.take();
  ladder.run(pin.cpu());
}

}  // namespace graphbench::worker
