// Builds the results from a formula, so that they are the same on every machine.
#include "tests/golden/sample_results.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "harness/model/statistics/cell_summary.hpp"

namespace graphbench::samples {
namespace {

model::Result frame() {
  model::Result result;
  result.tool_version = "0.1.0";
  result.tool_commit = "0123456789ab";
  result.started_at = "2026-01-02T03:04:05Z";
  result.finished_at = "2026-01-02T03:05:06Z";
  result.complete = true;
  result.environment.hostname = "bench";
  result.environment.os = "Debian GNU/Linux 12 (bookworm)";
  result.environment.cpu = "Some CPU";
  result.environment.cores = 8;
  result.environment.device.kind = "cuda";
  result.environment.device.name = "Some GPU";
  result.environment.device.uuid = "GPU-00000000-0000-0000-0000-000000000000";
  result.environment.device.compute_capability = "9.0";
  result.environment.device.memory_bytes = 150'000'000'000;
  result.environment.device.driver = "580.1";
  result.environment.device.runtime = "13.0";
  result.environment.device.libraries = {{"cublasLt", "13.1.0"}, {"cudnn", "9.1.0"}};
  result.environment.fingerprint = "00112233445566778899aabbccddeeff";
  result.plan.hash = "ffeeddccbbaa99887766554433221100";
  result.plan.argv = {"graphbench", "--sweep"};
  return result;
}

model::Summary summary_around(double p50, std::int64_t count) {
  model::Summary summary{};
  summary.count = count;
  summary.min = p50 * 0.75;
  summary.p50 = p50;
  if (count >= 44) summary.p90 = p50 * 1.125;
  if (count >= 459) summary.p99 = p50 * 1.25;
  if (count >= 6) {
    summary.p50_ci95_low = p50 * 0.96875;
    summary.p50_ci95_high = p50 * 1.03125;
  }
  summary.max = p50 * 2;
  summary.mean = p50 * 1.0625;
  if (count >= 2) summary.stddev = p50 * 0.125;
  return summary;
}

// `rows` is a multiple of 1/128, so latencies in microseconds have few decimals: every text form is exact.
double latency_of(const model::Cell& cell) {
  const double rows = 1 + static_cast<double>(cell.batch) / 128;
  const double base = cell.mode == "eager" ? 384e-6 : cell.mode == "whole" ? 160e-6 : 176e-6;
  return base * rows;
}

double submit_of(const model::Cell& cell) {
  return cell.mode == "eager" ? 382e-6 : cell.mode == "whole" ? 2.25e-6 : 16.75e-6;
}

model::Launch launch_of(const model::Cell& cell, std::int64_t index) {
  model::Launch launch{};
  launch.index = index;
  launch.setup.prepare_seconds = 1.5e-3;
  launch.setup.warmup_seconds = 1e-3 * static_cast<double>(cell.warmup);
  if (cell.mode != "eager") {
    launch.setup.capture_seconds = 64e-6;
    launch.setup.instantiate_seconds = 128e-6;
    launch.setup.upload_seconds = 8e-6;
  }
  const double latency = latency_of(cell) * (1 + 0.0625 * static_cast<double>(index));
  launch.setup.first_step_seconds = latency * 4;
  launch.submit_seconds = summary_around(submit_of(cell), 459);
  launch.latency_seconds = summary_around(latency, 459);
  launch.device_seconds = summary_around(latency * 0.9375, 44);
  launch.throughput_steps_per_second = 1 / latency;
  launch.latency_stopped_by = "precision";
  launch.device_stopped_by = "time";
  launch.throughput_stopped_by = "samples";
  launch.latency_samples.assign(40, latency);
  if (cell.warmup == 0) launch.latency_samples.front() = latency * 16;
  return launch;
}

model::CellResult ok_cell(const model::Cell& cell, std::int64_t launches) {
  model::CellResult result{};
  result.cell = cell;
  result.status = model::CellStatus::ok;
  const bool eager = cell.mode == "eager";
  result.check = model::Check{.reference = eager ? "eager_again" : "eager",
                              .identical = true,
                              .max_abs_error = 0,
                              .tolerated = {},
                              .state = {},
                              .inputs = {},
                              .remarks = {}};
  const std::int64_t pieces = eager ? 0 : cell.mode == "whole" ? 1 : 8;
  facts::GraphCounts& graph = result.graph.emplace();
  graph.pieces = pieces;
  graph.contents.nodes = eager ? 0 : 40;
  graph.captured_ops = eager ? 0 : 40;
  graph.eager_ops = eager ? 47 : 7;
  model::Memory& memory = result.memory.emplace();
  memory.weights_bytes = 134'217'728;
  memory.pool_bytes = 4'194'304;
  memory.pool_bytes_private = 8'388'608;
  memory.pool_bytes_own = cell.batch * 16'384;
  for (std::int64_t i = 0; i < launches; ++i) result.launches.push_back(launch_of(cell, i));
  return result;
}

void fill(model::Result& result, const std::string& preset, const std::string& dtype) {
  model::Axes& axes = result.plan.axes;
  axes.preset = {preset};
  axes.dtype = {dtype};
  axes.pass = {"forward"};
  for (const std::string& workload : axes.workload) {
    for (const std::int64_t batch : axes.batch) {
      for (const std::int64_t warmup : axes.warmup) {
        for (const std::string& mode : axes.mode) {
          const model::Cell cell{workload, preset, dtype, "forward", batch, warmup, mode};
          result.cells.push_back(ok_cell(cell, result.plan.launches));
        }
      }
    }
  }
}

void strip(model::CellResult& cell, model::CellStatus status) {
  const model::Cell identity = cell.cell;
  cell = model::CellResult{};
  cell.cell = identity;
  cell.status = status;
}

}  // namespace

// instead.
void summarize(model::Result& result) {
  model::summarize_cells(result.cells);
  model::add_launch_bound(result.environment.device.kind, result.cells);
  for (model::CellResult& cell : result.cells) {
    if (cell.status != model::CellStatus::ok) continue;
    cell.summary.submit_seconds->within_launch = 0.0625;
    cell.summary.latency_seconds->within_launch = 0.015625;
    cell.summary.device_seconds->within_launch = 0.0078125;
    cell.summary.steady_after = std::max<std::int64_t>(cell.cell.warmup, cell.cell.mode == "eager" ? 3 : 1);
  }
}

model::Result small_result() {
  model::Result result = frame();
  result.plan.axes.workload = {"mlp"};
  result.plan.axes.batch = {1, 256};
  result.plan.axes.warmup = {0, 3};
  result.plan.axes.mode = {"eager", "whole", "piecewise"};
  fill(result, "base", "bf16");
  model::CellResult& failed = result.cells[10];  // b256, w3, whole
  strip(failed, model::CellStatus::failed);
  failed.reason = model::Reason{"out_of_memory", "allocate 4 GiB on cuda:0: 1 GiB is free"};
  model::CellResult& skipped = result.cells[11];  // b256, w3, piecewise
  strip(skipped, model::CellStatus::skipped);
  skipped.reason = model::Reason{"host_op", "capture mlp/b256: op 3 'sample' runs on the host"};
  model::Launch& slow = result.cells[5].launches.front();  // b1, w3, piecewise: it never pays back
  const double latency = 400e-6;
  slow.latency_seconds = summary_around(latency, 459);
  slow.device_seconds = summary_around(latency * 0.9375, 44);
  slow.throughput_steps_per_second = 1 / latency;
  summarize(result);
  return result;
}

model::Result interrupted_result() {
  model::Result result = frame();
  result.complete = false;
  result.finished_at.clear();
  result.environment.device = model::DeviceFacts{};
  result.environment.device.kind = "host";
  result.environment.device.name = "Some CPU";
  result.environment.device.memory_bytes = 8'000'000'000;
  result.environment.no_gpu = "no NVIDIA driver is installed (libcuda.so.1 not found)";
  result.plan.launches = 3;
  result.plan.axes.workload = {"conv"};
  result.plan.axes.batch = {8};
  result.plan.axes.warmup = {1, 3};
  result.plan.axes.mode = {"whole"};
  fill(result, "tiny", "fp32");
  strip(result.cells[1], model::CellStatus::pending);
  summarize(result);
  return result;
}

model::Result default_sweep_result() {
  model::Result result = frame();
  result.plan.axes.workload = {"mlp", "attention", "conv"};
  result.plan.axes.batch = {1, 2, 4, 8, 16, 32, 64, 128, 256};
  result.plan.axes.warmup = {0, 1, 3, 10};
  result.plan.axes.mode = {"eager", "whole", "piecewise"};
  fill(result, "base", "bf16");
  summarize(result);
  return result;
}

}  // namespace graphbench::samples
