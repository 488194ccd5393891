// The floor process opens the device, pins its thread as a worker does, measures and answers. ask_floors()
// starts the process.
#include "harness/measure/floor/floor_process.hpp"

#include <exception>
#include <optional>

#include "graphs/backends/registry.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/process/child_io.hpp"
#include "graphs/base/process/exit_text.hpp"
#include "graphs/base/process/process_supervisor.hpp"
#include "harness/measure/floor/measure_floors.hpp"
#include "harness/measure/machine/cpu_choice.hpp"
#include "harness/measure/machine/pinning.hpp"
#include "harness/model/codec/messages.hpp"

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
    answer.floors =
        measure_floors(*device, request.complete ? FloorSettings{} : sweep_settings(), [&] { pin.take(); });
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
    const auto asked = codec::read_data<FloorRequest>(request, "read floor request");
    process::send_line(codec::write_data(answer_to(asked)));
    return 0;
  });
}

FloorAnswer ask_floors(process::ProcessSupervisor& supervisor, const std::vector<std::string>& command,
                       const FloorRequest& request, double silent_seconds_max) {
  std::optional<FloorAnswer> answer;
  const process::ChildExit exit = supervisor.ask(
      {command, codec::write_data(request), silent_seconds_max},
      [&](std::string_view line) { answer = codec::read_data<FloorAnswer>(line, "read floor answer"); });
  if (answer) return std::move(*answer);
  FloorAnswer failed;
  failed.failure = "the floor process " + process::how_it_ended(exit, silent_seconds_max);
  return failed;
}

}  // namespace graphbench::floors
