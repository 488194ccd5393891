// Whether capturing, instantiating, replaying and destroying gives all device memory back.
#pragma once

#include "gpu_program.hpp"

namespace graphbench::gpu {

struct CycleReport {
  std::size_t free_before = 0;  // after one cycle, which loads what the driver loads once
  std::size_t free_after = 0;
  std::size_t cycles = 0;
  std::size_t replays = 0;

  std::size_t lost() const { return free_before > free_after ? free_before - free_after : 0; }
};

CycleReport run_cycles(Device& device, GpuProgram& program, std::size_t cycles,
                       std::size_t replays_per_cycle);

}  // namespace graphbench::gpu
