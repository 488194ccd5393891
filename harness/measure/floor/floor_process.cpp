// The floor process opens the device, pins its thread as a worker does, measures and answers. ask_floors()
// starts the process.
#include "harness/measure/floor/floor_process.hpp"

#include "graphs/backends/registry.hpp"
#include "harness/measure/floor/measure_floors.hpp"
#include "harness/measure/machine/cpu_choice.hpp"
#include "harness/measure/machine/pinning.hpp"
#include "harness/measure/worker/answers.hpp"

namespace graphbench::measure {

int floor_main(std::string_view parent) {
  return answer_main<FloorAnswer>("floor", parent, [](const std::string& text, FloorAnswer& answer) {
    const auto request = model::read_data<FloorRequest>(text, "read floor request");
    const std::unique_ptr<Device> device = open_device(request.device);
    answer.facts = device->info();
    const std::vector<int> allowed = allowed_cpus();
    model::InstrumentOptions instruments = request.instruments;
    if (!instruments.submitter)
      instruments.submitter = choose_submitter(instruments, allowed, device->info().pci_bus_id);
    SubmitterPin pin(instruments, allowed, device->info().kind != "host");
    pin.keep_others_off();
    answer.floors =
        measure_floors(*device, request.complete ? FloorSettings{} : sweep_settings(), [&] { pin.take(); });
  });
}

FloorAnswer ask_floors(process::ProcessSupervisor& supervisor, const std::vector<std::string>& command,
                       const FloorRequest& request, double silent_seconds_max) {
  return ask<FloorAnswer>(supervisor, "floor", {command, model::write_data(request), silent_seconds_max});
}

}  // namespace graphbench::measure
