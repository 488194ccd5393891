// Runs the floor process: opens the device, pins the thread as a worker does, measures and answers. Also has
// the parent's side and the encoding of both messages.
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
#include "harness/model/codec/result_fields.hpp"

namespace graphbench::codec {

GB_DESCRIBE(floors::FloorRequest, device, complete, instruments);
GB_DESCRIBE(floors::FloorAnswer, failure, bad_input, facts, floors);

}  // namespace graphbench::codec

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
    process::send_line(encode_answer(answer_to(decode_request(request))));
    return 0;
  });
}

FloorAnswer ask_floors(process::ProcessSupervisor& supervisor, const std::vector<std::string>& command,
                       const FloorRequest& request, double silent_seconds_max) {
  std::optional<FloorAnswer> answer;
  const process::ChildExit exit =
      supervisor.ask({command, encode_request(request), silent_seconds_max},
                     [&](std::string_view line) { answer = decode_answer(line); });
  if (answer) return std::move(*answer);
  FloorAnswer failed;
  failed.failure = "the floor process " + process::how_it_ended(exit, silent_seconds_max);
  return failed;
}

std::string encode_request(const FloorRequest& request) {
  return codec::write_data(request);
}

FloorRequest decode_request(std::string_view text) {
  return codec::read_data<FloorRequest>(text, "read floor request");
}

std::string encode_answer(const FloorAnswer& answer) {
  return codec::write_data(answer);
}

FloorAnswer decode_answer(std::string_view line) {
  return codec::read_data<FloorAnswer>(line, "read floor answer");
}

}  // namespace graphbench::floors
