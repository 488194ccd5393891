// A thread of the process watches the thread that measures, and answers in its place if a call does not
// return.
#include "harness/canary/canary_process.hpp"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "graphs/backends/registry.hpp"
#include "graphs/base/clock.hpp"
#include "harness/canary/canary_fields.hpp"
#include "harness/canary/probes.hpp"
#include "harness/measure/machine/cpu_choice.hpp"
#include "harness/measure/machine/exec_memory.hpp"
#include "harness/measure/machine/pinning.hpp"
#include "harness/measure/worker/answers.hpp"

namespace graphbench::canary {
namespace {

using measure::DeviceCall;

// Ends the process if a call does not return.
class Watch {
 public:
  Watch(const measure::CallMark& mark, double seconds, bool on_cuda)
      : thread_([&mark, seconds, on_cuda](const std::stop_token& stop) {
          measure::CallMark::Reading last = mark.read();
          Stopwatch watch;
          std::mutex mutex;
          std::condition_variable_any ended;
          std::unique_lock lock(mutex);
          while (!ended.wait_for(lock, stop, std::chrono::milliseconds(100),
                                 [&] { return stop.stop_requested(); })) {
            const measure::CallMark::Reading now = mark.read();
            if (now != last) {
              last = now;
              watch = Stopwatch();
            }
            if (watch.seconds() < seconds) continue;
            CanaryAnswer answer{};
            answer.hang = Hang{std::string(measure::name_of(now.call, on_cuda)), watch.seconds()};
            process::send_line(model::write_data(answer));
            _exit(0);
          }
        }) {}

 private:
  std::jthread thread_;
};

constexpr std::int64_t graph_nodes = 64, long_nodes = 1024;

void measure_floors(Device& device, measure::Meter& meter, std::map<std::string, double>& values) {
  const std::unique_ptr<Graph> single = meter.record(1), graph = meter.record(graph_nodes);
  const std::unique_ptr<Graph> chain = meter.record(long_nodes);
  const auto median_of = [&](const auto& sample) { return meter.floor_of(meter.samples_of(sample)).p50; };
  values["kernel_launch"] = meter.kernel_launch().p50;
  values["graph_launch"] = meter.graph_launch(*single).p50;
  values["busy_graph_launch"] = meter.queued_graph_launch().p50;
  values["long_graph_launch"] = meter.graph_launch(*chain).p50;
  values["node"] = (meter.graph_launch(*chain, true).p50 - meter.graph_launch(*single, true).p50) /
                   static_cast<double>(long_nodes - 1);
  values["instantiate"] = median_of([&] {
    meter.enter(DeviceCall::instantiate);
    const Stopwatch watch;
    const std::unique_ptr<GraphExec> exec = graph->instantiate();
    return watch.seconds();
  });
  const std::unique_ptr<GraphExec> exec = meter.instantiated(*graph);
  values["update"] = median_of([&] {
    meter.enter(DeviceCall::update);
    const Stopwatch watch;
    static_cast<void>(exec->update(*graph));
    return watch.seconds();
  });
  values["upload"] = median_of([&] {
    meter.enter(DeviceCall::instantiate);
    const std::unique_ptr<GraphExec> fresh = graph->instantiate();
    meter.enter(DeviceCall::upload);
    const Stopwatch watch;
    fresh->upload(meter.stream());
    meter.wait();
    return watch.seconds();
  });
  meter.enter(DeviceCall::exec_memory);
  measure::ExecMemory memory(device, meter.stream());
  if (const auto cost = memory.costs_of({{chain.get()}}).front())
    values["node_memory"] = cost->bytes / static_cast<double>(long_nodes);
  // The difference of two times may be lost in their noise.
  std::erase_if(values, [](const auto& each) { return each.second <= 0; });
}

measure::FloorSettings brief() {
  return {.shapes = false, .seconds_per_floor = 0.02, .samples_max = 400, .nodes_max = long_nodes};
}

}  // namespace

int canary_main(std::string_view parent) {
  return measure::answer_main<CanaryAnswer>(
      "canary", parent, [](const std::string& text, CanaryAnswer& answer) {
        const auto request = model::read_data<CanaryRequest>(text, "read canary request");
        measure::CallMark mark;
        mark.enter(DeviceCall::open);
        const Watch watch(mark, request.hang_seconds, request.device != "host");
        const std::unique_ptr<Device> device = open_device(request.device);
        answer.facts = device->info();
        const std::vector<int> allowed = measure::allowed_cpus();
        model::InstrumentOptions instruments = request.instruments;
        if (!instruments.submitter)
          instruments.submitter = measure::choose_submitter(instruments, allowed, answer.facts.pci_bus_id);
        measure::SubmitterPin pin(instruments, allowed, answer.facts.kind != "host");
        pin.keep_others_off();
        measure::Meter meter(*device, brief(), &mark);
        pin.take();
        if (request.ask == Ask::floors)
          measure_floors(*device, meter, answer.values);
        else
          probe(*device, meter, request, answer);
      });
}

CanaryAnswer ask_canary(process::ProcessSupervisor& supervisor, const std::vector<std::string>& command,
                        const CanaryRequest& request) {
  // The process itself reports a hang. This one is of a process that cannot.
  const double silent_seconds_max = request.hang_seconds + request.soak_seconds + 30;
  CanaryAnswer answer = measure::ask<CanaryAnswer>(supervisor, "canary",
                                                   {command, model::write_data(request), silent_seconds_max});
  if (answer.status == model::CellStatus::failed && answer.reason->code == "timeout")
    answer.hang = Hang{"the process", silent_seconds_max};
  return answer;
}

}  // namespace graphbench::canary
