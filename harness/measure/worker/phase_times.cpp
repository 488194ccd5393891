// Records events between the phases of a step, in extra steps that no timing pass uses.
#include "harness/measure/worker/phase_times.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "graphs/base/clock.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::measure {
namespace {

constexpr int steps_max = 21;
constexpr double batch_seconds_max = 0.2;

const char* phase_of(const ir::Op& op) {
  if (op.phase == ir::Phase::forward) return "forward";
  return op.phase == ir::Phase::optimizer ? "optimizer" : "backward";
}

// The phase of all ops of an item; null if the item is a graph with ops of several phases.
const char* phase_of(const ir::Program& program, const execution::StepItem& item) {
  const char* const phase = phase_of(program.ops()[item.op]);
  for (ir::OpId id = item.op; id <= item.last_op; ++id) {
    const ir::Op& op = program.ops()[id];
    if (!op.traits.marker && phase_of(op) != std::string_view(phase)) return nullptr;
  }
  return phase;
}

}  // namespace

std::vector<PhaseRun> phase_runs(const ir::Program& program, const std::vector<execution::StepItem>& items) {
  std::vector<PhaseRun> runs;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const char* const phase = phase_of(program, items[i]);
    if (phase == nullptr) return {};
    if (runs.empty() || runs.back().phase != std::string_view(phase)) runs.push_back({phase, i, i});
    runs.back().last = i + 1;
  }
  return runs;
}

void submit_by_phases(Stream& stream, const std::vector<execution::StepItem>& items,
                      const std::vector<PhaseRun>& runs, const std::function<void(std::size_t)>& between) {
  for (std::size_t run = 0; run < runs.size(); ++run) {
    between(run);
    for (std::size_t i = runs[run].first; i < runs[run].last; ++i) {
      if (items[i].graph != nullptr) {
        items[i].graph->launch(stream);
      } else {
        items[i].kernel->launch(stream, items[i].operands);
      }
    }
  }
  between(runs.size());
}

void measure_phases(Device& device, Stream& stream, const ir::Program& program, execution::Executor& executor,
                    model::Training& training) {
  if (executor.io()) return;
  executor.submit();
  stream.synchronize();
  const std::vector<execution::StepItem> items = executor.items();
  const std::vector<PhaseRun> runs = phase_runs(program, items);
  if (runs.empty()) return;
  std::vector<std::unique_ptr<Event>> events;
  for (std::size_t i = 0; i <= runs.size(); ++i) events.push_back(device.make_event());
  std::map<std::string, std::vector<double>> seconds;
  const Stopwatch watch;
  for (int step = 0; step < steps_max; ++step) {
    submit_by_phases(stream, items, runs, [&](std::size_t run) { events[run]->record(stream); });
    stream.synchronize();
    std::map<std::string, double> step_seconds;
    for (std::size_t i = 0; i < runs.size(); ++i)
      step_seconds[runs[i].phase] += events[i + 1]->seconds_since(*events[i]);
    for (const auto& [phase, value] : step_seconds) seconds[phase].push_back(value);
    seconds["step"].push_back(events.back()->seconds_since(*events.front()));
    if (watch.seconds() > batch_seconds_max) break;
  }
  training.forward_seconds = model::median_or_absent(seconds["forward"]);
  training.backward_seconds = model::median_or_absent(seconds["backward"]);
  training.optimizer_seconds = model::median_or_absent(seconds["optimizer"]);
  training.step_seconds = model::median_or_absent(seconds["step"]);
}

}  // namespace graphbench::measure
