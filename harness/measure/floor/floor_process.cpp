// Opens the device, pins as a worker does, measures, answers.
#include "harness/measure/floor/floor_process.hpp"

#include <exception>

#include "graphs/backends/registry.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/process/child_io.hpp"
#include "harness/measure/floor/measure_floors.hpp"
#include "harness/measure/machine/cpu_choice.hpp"
#include "harness/measure/machine/pinning.hpp"

namespace graphbench::floors {
namespace {

FloorAnswer answer_to(const FloorRequest& request) {
  FloorAnswer answer;
  try {
    const std::unique_ptr<Device> device = open_device(request.device);
    answer.facts = device->info();
    const std::vector<int> allowed = machine::allowed_cpus();
    model::InstrumentOptions instruments = request.instruments;
    if (!instruments.submitter)
      instruments.submitter = machine::choose_submitter(instruments, allowed, device->info().pci_bus_id);
    machine::SubmitterPin pin(instruments, allowed, device->info().kind != "host");
    pin.keep_others_off();
    FloorMeter meter(*device, request.complete ? FloorSettings{} : sweep_settings());
    pin.take();
    answer.floors = meter.measure();
  } catch (const std::exception& error) {
    const auto* const ours = dynamic_cast<const Error*>(&error);
    answer.bad_input = ours != nullptr && ours->code() == ErrorCode::invalid_argument;
    answer.failure = error.what();
  }
  return answer;
}

}  // namespace

int floor_main(std::string_view parent) {
  return process::child_main("floor process", parent, [](const std::string& request) {
    process::send_line(encode_answer(answer_to(decode_request(request))));
    return 0;
  });
}

}  // namespace graphbench::floors
