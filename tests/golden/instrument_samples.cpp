// The small result once more with everything that instruments can find. Powers of two keep numbers exact.
#include <algorithm>

#include "tests/golden/sample_results.hpp"

namespace graphbench::samples {
namespace {

model::Floors floors() {
  model::Floors floors;
  floors.clock_pair = model::Floor{31.25e-9, 500};
  floors.kernel_launch = model::Floor{2.5e-6, 500};
  floors.graph_launch = model::Floor{1e-6, 500};
  floors.queued_kernel_launch = model::Floor{2e-6, 100};
  floors.queued_graph_launch = model::Floor{1.125e-6, 100};
  floors.empty_graph_launch = model::Floor{0.125e-6, 500};
  floors.event_pair = model::Floor{0.5e-6, 100};
  floors.event_resolution = 32e-9;
  floors.completion_spin = model::Floor{8e-6, 100};
  floors.completion_block = model::Floor{16e-6, 100};
  model::FloorShape& shape = floors.shapes.emplace_back();
  shape.shape = "straight";
  for (const std::int64_t nodes : {1, 2, 4}) {
    const auto count = static_cast<double>(nodes);
    shape.points.push_back({nodes, {1e-6, 100}, {0.5e-6 * count, 100}, {8e-6 + 1e-6 * count, 50}});
  }
  shape.submit_seconds_per_node = 0;
  shape.device_seconds_per_node = 0.5e-6;
  shape.instantiate_seconds_per_node = 1e-6;
  // The driver takes memory in steps, which lie beside the line.
  floors.exec_memory =
      model::ExecMemoryFloor{1024, 16'384, {{16, 36'864, 4096}, {64, 73'728, -8192}, {256, 282'624, 4096}}};
  return floors;
}

model::Startup startup(const model::Setup& setup) {
  model::Startup startup;
  startup.process_seconds = 8e-3;
  startup.plugin_seconds = 4e-3;
  startup.module_seconds = 125e-3;
  startup.context_seconds = 500e-3;
  startup.weights_seconds = 62.5e-3;
  startup.prepare_seconds = *setup.prepare_seconds * 2;
  startup.warmup_seconds = setup.warmup_seconds * 2;
  startup.capture_seconds = setup.capture_seconds * 2;
  startup.instantiate_seconds = setup.instantiate_seconds * 2;
  startup.upload_seconds = setup.upload_seconds * 2;
  startup.first_step_seconds = setup.first_step_seconds * 2;
  return startup;
}

// A worker's accounts: every batch has graphs of 1 MiB.
void add_accounts(model::Memory& memory, bool eager) {
  constexpr std::int64_t mebi = 1 << 20;
  memory.used_bytes = 1024 * mebi;
  memory.context_bytes = 512 * mebi;
  memory.code_bytes = 256 * mebi;
  memory.static_bytes = 160 * mebi;
  memory.workspace_bytes = 64 * mebi;
  memory.pool_in_use_bytes_max = memory.pool_bytes / 2;
  if (!eager) memory.exec_bytes = mebi;
  memory.weights_bytes_max = memory.weights_bytes;
  memory.tuning_bytes_max = 32 * mebi;
  memory.peak_bytes = model::PeakBytes{std::nullopt, 128 * mebi, 0};
  memory.witness = "process";
}

model::Profile profile_of(const model::CellResult& cell) {
  const bool eager = cell.cell.mode == "eager";
  model::Profile profile;
  profile.steps = 5;
  profile.busy_seconds = 128e-6;
  profile.gap_seconds = eager ? 96e-6 : 16e-6;
  profile.kernels = 40;
  profile.top = {{"gemm<bf16, 128x64>", 96e-6, 16}, {"rmsnorm_kernel", 32e-6, 8}};
  profile.slowdown = eager ? 1.25 : 1.0625;
  profile.device_seconds = *profile.slowdown * cell.launches.front().device_seconds->p50;
  profile.witness = model::DeviceTimeCheck{9, 146.5e-6, 144e-6, 2.5e-6, 2.25e-6};
  return profile;
}

// Of a cell whose steps update their graphs, where one update was refused.
void add_caller(model::CellResult& cell) {
  cell.caller_io = model::Io{.pieces_touched = 1,
                             .recordings = 1,
                             .updates = 63.0 / 64,
                             .updates_refused = 1.0 / 64,
                             .instantiations = 1.0 / 64,
                             .steps = 64,
                             .refused = std::nullopt};
  cell.caller_io->refused =
      model::Reason{"graph_update_failed", "piece 0, kernel node 7: the function changed"};
  cell.counters = model::Counters{6, 8, 8, 112, 49, 63, 144, {}};
  cell.cache = model::CacheUse{3, 1, 1, 2048, 1.5};
  cell.package = model::PackageUse{4096, 8192, 0.03125, 0.0078125, 0.25, "package", true, 1024};
  cell.training =
      model::Training{{{33, 47, 8, 2, 1}, 1234560, 4096, 8196, 7}, 65536, 1e-4, 2e-4, 5e-5, 3.5e-4};
  cell.training->breaks = {
      {"no_gradient_capture", "op layer0.gate.grad_inputs (gate_grad) runs on the host"}};
  cell.training->evaluation = model::Evaluation{33, 4, 1, true, std::nullopt};
  cell.shape_walk = model::ShapeWalk{8,
                                     64,
                                     2,
                                     3,
                                     1,
                                     65536,
                                     2.25e-6,
                                     2.125e-6,
                                     {{1, "b8 s128", 8, 40, "traced", "the first step", 0.25, 0.125},
                                      {2, "b* s128", 8, 40, "graph_hit", "", 3e-6}}};
  cell.rewrites = {"pass swap: removed 2 ops: layer0.up (linear) and others; added layer0.swiglu (swiglu)"};
}

model::LaunchMachine machine(bool throttled) {
  model::LaunchMachine machine;
  machine.cpu = 7;
  machine.cpu_slowdown = throttled ? 1.75 : 1.0;
  machine.device_slowdown = throttled ? 1.0625 : 1.0;
  machine.before = facts::DeviceReading{1.98e9, 3.2e9, 45, 250, {}};
  machine.after = facts::DeviceReading{1.98e9, 3.2e9, 47, 312.5, {}};
  if (throttled) machine.after->throttle = {"sw_power_cap"};
  machine.throttled = throttled;
  return machine;
}

}  // namespace

model::Result instruments_result() {
  model::Result result = small_result();
  result.environment.floors = floors();
  result.environment.machine =
      model::CpuState{"powersave", true, 4.5, true, 1.5, model::SubmitterCpus{{4, 5, 6, 7}, "far", "alike"}};
  result.environment.device.pci_bus_id = "0000:1b:00.0";
  result.environment.profiler = model::InstrumentState{true, "CUPTI 13.0"};
  result.environment.monitor = model::InstrumentState{true, "NVML 580.1"};
  result.environment.variables = {{"GRAPHBENCH_AUTOTUNE", "off"}};
  result.environment.library_choices = {{"conv 56x56", "engine 1", true, false},
                                        {"conv 56x56", "engine 7", true, true, "serialised"},
                                        {"linear 8x1024", "algorithm 66", false, false}};
  result.plan.cold_l2 = true;
  result.plan.profile = true;
  for (model::CellResult& cell : result.cells) {
    if (cell.status != model::CellStatus::ok) continue;
    cell.profile = profile_of(cell);
    cell.paths = {{"conv2d:cudnn", "", 12}, {"conv2d:im2col", "cuDNN has no deterministic plan for it", 4}};
    model::Launch& launch = cell.launches.front();
    launch.machine = machine(cell.cell.batch == 256);
    launch.startup = startup(launch.setup);
    launch.setups.assign(3, launch.setup);
    launch.setups.back().capture_seconds *= 2;
    add_accounts(*cell.memory, cell.cell.mode == "eager");
    if (cell.cell.mode != "eager") add_caller(cell);
    const model::GraphCounts& graph = *cell.graph;
    // The first launch finds an idle stream; busy, kernels are cheaper to launch and graphs are not.
    const double first = graph.pieces > 0 ? 0 : 2.5e-6 - 2e-6;
    cell.summary.submit_over_floor =
        cell.summary.submit_seconds->p50 /
        (first + 1e-6 * static_cast<double>(graph.pieces) + 2e-6 * static_cast<double>(graph.eager_ops));
  }
  for (model::CellResult& cell : result.cells) {
    if (!cell.memory) continue;
    const auto beside = [&](const model::CellResult& other) {
      return other.memory && other.cell.mode == cell.cell.mode && other.cell.warmup == cell.cell.warmup;
    };
    const model::Memory& memory = *cell.memory;
    const auto cells = std::ranges::count_if(result.cells, beside);
    cell.memory->unaccounted_bytes = *memory.used_bytes - *memory.context_bytes - *memory.code_bytes -
                                     *memory.static_bytes - *memory.workspace_bytes - memory.pool_bytes -
                                     cells * memory.exec_bytes.value_or(0);
  }
  const auto skipped = std::ranges::find_if(result.cells, [](const model::CellResult& cell) {
    return cell.status == model::CellStatus::skipped && cell.cell.mode != "eager";
  });
  if (skipped != result.cells.end())
    skipped->counters = model::Counters{.skips = {{skipped->reason->code, 1}}};
  result.plan.caller = {{"capture-stream", "default"}};
  // Nothing that can be absent keeps a document from being one.
  model::CellResult& last = result.cells[9];
  last.profile->witness.reset();
  last.profile->slowdown.reset();
  last.paths.clear();
  last.launches.front().machine->cpu.reset();
  last.launches.front().machine->before.reset();
  last.launches.front().startup->process_seconds.reset();
  return result;
}

}  // namespace graphbench::samples
