// Adds to the small result everything that instruments can find. Powers of two keep numbers exact.
#include <algorithm>

#include "harness/model/statistics/cell_summary.hpp"
#include "tests/golden/sample_results.hpp"

namespace graphbench::samples {
namespace {

model::Floors floors() {
  model::Floors floors{};
  floors.clock_pair = model::Floor{.p50 = 31.25e-9, .count = 500};
  floors.kernel_launch = model::Floor{.p50 = 2.5e-6, .count = 500};
  floors.graph_launch = model::Floor{.p50 = 1e-6, .count = 500};
  floors.queued_kernel_launch = model::Floor{.p50 = 2e-6, .count = 100};
  floors.queued_graph_launch = model::Floor{.p50 = 1.125e-6, .count = 100};
  floors.empty_graph_launch = model::Floor{.p50 = 0.125e-6, .count = 500};
  floors.event_pair = model::Floor{.p50 = 0.5e-6, .count = 100};
  floors.event_resolution = 32e-9;
  floors.completion_spin = model::Floor{.p50 = 8e-6, .count = 100};
  floors.completion_block = model::Floor{.p50 = 16e-6, .count = 100};
  model::FloorShape& shape = floors.shapes.emplace_back();
  shape.shape = "straight";
  shape.streams = 1;
  for (const std::int64_t nodes : {1, 2, 4}) {
    const auto count = static_cast<double>(nodes);
    shape.points.push_back({nodes, {1e-6, 100}, {0.5e-6 * count, 100}, {8e-6 + 1e-6 * count, 50}});
  }
  shape.submit_seconds_per_node = 0;
  shape.device_seconds_per_node = 0.5e-6;
  shape.instantiate_seconds_per_node = 1e-6;
  // The driver allocates memory in steps, so the points are not exactly on the fitted line.
  floors.exec_memory =
      model::ExecMemoryFloor{.bytes_per_node = 1024,
                             .bytes_at_zero = 16'384,
                             .points = {{16, 36'864, 4096}, {64, 73'728, -8192}, {256, 282'624, 4096}}};
  return floors;
}

model::Startup startup(const model::Setup& setup) {
  model::Startup startup{};
  startup.process_seconds = 8e-3;
  startup.plugin_seconds = 4e-3;
  startup.module_seconds = 125e-3;
  startup.context_seconds = 500e-3;
  startup.weights_seconds = 62.5e-3;
  startup.prepare_seconds = *setup.prepare_seconds * 2;
  startup.warmup_seconds = setup.warmup_seconds * 2;
  startup.capture_seconds = setup.capture_seconds * 2;
  if (setup.break_seconds) startup.break_seconds = *setup.break_seconds * 2;
  startup.instantiate_seconds = setup.instantiate_seconds * 2;
  startup.upload_seconds = setup.upload_seconds * 2;
  startup.first_step_seconds = setup.first_step_seconds * 2;
  return startup;
}

// Adds what a worker's memory is used for: all graphs take 2 MiB, and another exec of any batch 0.5 MiB.
void add_accounts(model::Memory& memory, bool eager) {
  constexpr std::int64_t mebi = 1 << 20;
  memory.used_bytes = 1024 * mebi;
  memory.context_bytes = 512 * mebi;
  memory.code_bytes = 256 * mebi;
  memory.static_bytes = 160 * mebi;
  memory.workspace_bytes = 64 * mebi;
  memory.pool_in_use_bytes_max = memory.pool_bytes / 2;
  if (!eager) {
    memory.graphs_bytes = 2 * mebi;
    memory.exec_bytes = mebi / 2;
    memory.exec_resolution_bytes = mebi / 64;
  }
  memory.weights_bytes_max = memory.weights_bytes;
  memory.tuning_bytes_max = 32 * mebi;
  memory.peak_bytes = model::PeakBytes{.build = std::nullopt, .load = 128 * mebi, .between_methods = 0};
  memory.witness = "process";
}

model::Profile profile_of(const model::CellResult& cell) {
  const bool eager = cell.cell.mode == "eager";
  model::Profile profile{};
  profile.steps = 5;
  profile.busy_seconds = 128e-6;
  profile.gap_seconds = eager ? 96e-6 : 16e-6;
  profile.kernels = 40;
  profile.top = {{"gemm<bf16, 128x64>", 96e-6, 16, {"l0.fc", "l1.fc", "l2.fc"}},
                 {"rmsnorm_kernel", 32e-6, 8, {}}};
  profile.slowdown = eager ? 1.25 : 1.0625;
  profile.device_seconds = *profile.slowdown * cell.launches.front().device_seconds->p50;
  profile.witness = model::DeviceTimeCheck{.steps = 9,
                                           .device_seconds = 146.5e-6,
                                           .recorded_seconds = 144e-6,
                                           .difference_seconds = 2.5e-6,
                                           .events_seconds = 2.25e-6};
  return profile;
}

// Adds the facts of a caller whose 64 steps update their graphs; one of the updates was refused.
void add_caller(model::CellResult& cell) {
  facts::Io& io = cell.caller_io.emplace();
  io.pieces_touched = 1;
  io.recordings = 1;
  io.updates = 63.0 / 64;
  io.updates_refused = 1.0 / 64;
  io.instantiations = 1.0 / 64;
  io.steps = 64;
  io.refused = model::Reason{"graph_update_failed", "piece 0, kernel node 7: the function changed"};
  cell.counters = model::Counters{.programs = 6,
                                  .pieces = 8,
                                  .capturable = 8,
                                  .captured = 112,
                                  .instantiated = 49,
                                  .updated = 63,
                                  .compilations = 144,
                                  .skips = {}};
  cell.cache = model::CacheUse{.hits = 3, .misses = 1, .refused = 1, .bytes = 2048, .seconds_saved = 1.5};
  cell.package = model::PackageUse{.bytes = 4096,
                                   .weights_bytes = 8192,
                                   .load_seconds = 0.03125,
                                   .verify_seconds = 0.0078125,
                                   .first_step_seconds = 0.25,
                                   .plans = "package",
                                   .low_memory = true,
                                   .staging_bytes = 1024};
  model::Training& training = cell.training.emplace();
  training.program = {.ops = {.forward = 33, .backward = 47, .accumulate = 8, .optimizer = 2, .removed = 1},
                      .saved_bytes = 1234560,
                      .gradient_bytes = 4096,
                      .optimizer_bytes = 8196,
                      .copies_skipped = 7};
  training.peak_bytes = 65536;
  training.forward_seconds = 1e-4;
  training.backward_seconds = 2e-4;
  training.optimizer_seconds = 5e-5;
  training.step_seconds = 3.5e-4;
  training.breaks = {{"no_gradient_capture", "op layer0.gate.grad_inputs (gate_grad) runs on the host"}};
  training.evaluation = model::Evaluation{
      .ops = 33, .pieces = 4, .eager_ops = 1, .identical = true, .latency_seconds = std::nullopt};
  cell.shape_walk =
      model::ShapeWalk{.programs_max = 8,
                       .recordings_max = 64,
                       .programs = 2,
                       .recordings = 3,
                       .generations = 1,
                       .pool_bytes = 65536,
                       .hit_seconds = 2.25e-6,
                       .replay_seconds = 2.125e-6,
                       .traces = {{1, "b* s128", 8, 40, "traced", "the first step", 0.25, 0.125},
                                  {2, "b* s128", 8, 40, "graph_hit", "", 3e-6, std::nullopt}}};
  cell.rewrites = {"pass swap: removed 2 ops: layer0.up (linear) and others; added layer0.swiglu (swiglu)"};
}

model::LaunchMachine machine(bool throttled) {
  model::LaunchMachine machine{};
  machine.cpu = 7;
  machine.cpu_slowdown = throttled ? 1.75 : 1.0;
  machine.device_slowdown = throttled ? 1.0625 : 1.0;
  machine.before = facts::DeviceReading{.sm_clock_hz = 1.98e9,
                                        .memory_clock_hz = 3.2e9,
                                        .temperature_celsius = 45,
                                        .power_watts = 250,
                                        .throttle = {}};
  machine.after = facts::DeviceReading{.sm_clock_hz = 1.98e9,
                                       .memory_clock_hz = 3.2e9,
                                       .temperature_celsius = 47,
                                       .power_watts = 312.5,
                                       .throttle = {}};
  if (throttled) machine.after->throttle = {"sw_power_cap"};
  machine.throttled = throttled;
  return machine;
}

// Adds records, which only foreign steps have, to the eager cell and to a piecewise cell with other kernels.
void add_records(model::Result& result) {
  const model::StepRecords of_eager{.steps = 5,
                                    .busy_seconds = 128e-6,
                                    .operations = 44,
                                    .kernels = 40,
                                    .eager_kernels = 40,
                                    .other_kernels = 0,
                                    .differences = {},
                                    .copies = {},
                                    .eager_copies = {},
                                    .other_copies = {},
                                    .framework_kernels = {},
                                    .graphed_kernels = {},
                                    .graph_seconds = 160e-6};
  model::CellResult& eager = result.cells.front();
  eager.records = of_eager;
  model::CellResult& piecewise =
      *std::ranges::find(result.cells, "piecewise", [](const auto& cell) { return cell.cell.mode; });
  model::StepRecords& records = piecewise.records.emplace(of_eager);
  records.kernels = 42;
  records.other_kernels = 4;
  records.differences = {"1 eager, 0 here: attention"};
  records.graphed_kernels = 21;
  piecewise.summary.graphed = 0.5;
  piecewise.capture_skips = {{"cpu_device", "cpu device (mask)", "step.py:8"}};
  model::Launch& launch = piecewise.launches.front();
  launch.setup.opening = {
      .build_seconds = 0.5, .compile_seconds = 2, .record_seconds = 0.25, .open_seconds = 0.125};
  launch.setup.compiled_from = "cold";
  launch.setup.compiled_pieces = {{0, 1.5, "cold"}, {2, 0.5, "cache"}, {4, 0.0625, ""}};
  if (!launch.setups.empty()) launch.setups.front() = launch.setup;
  piecewise.library = {
      {"torch", {"2.11", true}}, {"counters.frames.total", {"3", false}}, {"hide_capture", {"true", false}}};
}

}  // namespace

model::Result instruments_result() {
  model::Result result = small_result();
  result.environment.floors = floors();
  result.environment.machine = model::CpuState{
      "powersave", true, 4.5,
      true,        1.5,  model::SubmitterCpus{.cpus = {4, 5, 6, 7}, .locality = "far", .cores = "alike"}};
  result.environment.device.pci_bus_id = "0000:1b:00.0";
  result.environment.profiler = model::InstrumentState{.available = true, .detail = "CUPTI 13.0"};
  result.environment.monitor = model::InstrumentState{.available = true, .detail = "NVML 580.1"};
  result.environment.variables = {{"GRAPHBENCH_AUTOTUNE", "off"}};
  result.environment.library_choices = {{"conv 56x56", "engine 1", true, false, ""},
                                        {"conv 56x56", "engine 7", true, true, "serialised"},
                                        {"linear 8x1024", "algorithm 66", false, false, ""}};
  result.plan.cold_l2 = true;
  result.plan.profile = true;
  for (model::CellResult& cell : result.cells) {
    if (cell.status != model::CellStatus::ok) continue;
    cell.profile = profile_of(cell);
    cell.paths = {{"conv2d:cudnn", "", 12}, {"conv2d:im2col", "cuDNN has no deterministic plan for it", 4}};
    model::Launch& launch = cell.launches.front();
    launch.machine = machine(cell.cell.batch == 256);
    if (cell.cell.mode == "piecewise") launch.setup.break_seconds = 32e-6;
    launch.startup = startup(launch.setup);
    launch.measured_unix_seconds = 1'767'225'600;
    launch.setups.assign(3, launch.setup);
    launch.setups.back().capture_seconds *= 2;
    add_accounts(*cell.memory, cell.cell.mode == "eager");
    if (cell.cell.mode != "eager") add_caller(cell);
  }
  for (model::CellResult& cell : result.cells) {
    if (!cell.memory) continue;
    const model::Memory& memory = *cell.memory;
    cell.memory->unaccounted_bytes = *memory.used_bytes - *memory.context_bytes - *memory.code_bytes -
                                     *memory.static_bytes - *memory.workspace_bytes - memory.pool_bytes -
                                     memory.graphs_bytes.value_or(0);
  }
  const auto skipped = std::ranges::find_if(result.cells, [](const model::CellResult& cell) {
    return cell.status == model::CellStatus::skipped && cell.cell.mode != "eager";
  });
  if (skipped != result.cells.end()) skipped->counters.emplace().skips[skipped->reason->code] = 1;
  add_records(result);
  summarize(result);
  model::add_submit_over_floor(*result.environment.floors, result.cells);
  result.plan.caller = {{"capture-stream", "default"}};
  // A document without these optional members is still valid.
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
