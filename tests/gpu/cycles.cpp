// Captures and destroys a whole step again and again.
#include "cycles.hpp"

namespace graphbench::gpu {
namespace {

void run_cycle(GpuProgram& program, std::size_t replays) {
  const auto executor = program.executor(execution::ExecutionMode::whole);
  executor->capture();
  executor->instantiate();
  executor->upload();
  for (std::size_t i = 0; i < replays; ++i) executor->submit();
  program.stream().synchronize();
}

}  // namespace

CycleReport run_cycles(Device& device, GpuProgram& program, std::size_t cycles,
                       std::size_t replays_per_cycle) {
  run_cycle(program, replays_per_cycle);
  CycleReport report;
  report.free_before = device.memory().free_bytes;
  report.cycles = cycles;
  report.replays = cycles * replays_per_cycle;
  for (std::size_t i = 0; i < cycles; ++i) run_cycle(program, replays_per_cycle);
  device.synchronize();
  report.free_after = device.memory().free_bytes;
  return report;
}

}  // namespace graphbench::gpu
