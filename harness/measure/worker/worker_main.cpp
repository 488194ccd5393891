// Connects run_worker to the pipes.
#include "harness/measure/worker/worker_main.hpp"

#include <exception>

#include "graphs/base/error.hpp"
#include "graphs/base/process/child_io.hpp"
#include "harness/measure/worker/protocol.hpp"
#include "harness/measure/worker/worker.hpp"

namespace graphbench::worker {
namespace {

class PipeEvents final : public WorkerEvents {
 public:
  void device(const model::DeviceFacts& facts) override { send(DeviceEvent{facts}); }
  void choices(const std::vector<model::LibraryChoice>& choices) override { send(ChoicesEvent{choices}); }
  void phase(std::int64_t batch, std::string_view phase) override {
    send(PhaseEvent{batch, std::string(phase)});
  }
  void cell(const model::CellResult& result) override { send(CellEvent{result}); }
  void memory(std::int64_t batch, const model::Memory& memory) override { send(MemoryEvent{batch, memory}); }
  void machine(std::int64_t batch, const model::LaunchMachine& machine) override {
    send(MachineEvent{batch, machine});
  }
  void profile(std::int64_t batch, const model::Profile& profile) override {
    send(ProfileEvent{batch, profile});
  }
  void trace(const std::string& process, const std::vector<model::TraceSpan>& spans) override {
    send(TraceEvent{process, spans});
  }
  void instrument(std::string_view name, const model::InstrumentState& state) override {
    send(InstrumentEvent{std::string(name), state});
  }
  void stopped(std::int64_t batch) override { send(StoppedEvent{batch}); }
  void send(const WorkerEvent& event) { process::send_line(encode_event(event)); }
};

int run(const std::string& request) {
  PipeEvents events;
  try {
    run_worker(decode_task(request), events);
  } catch (const Error& error) {
    events.send(ErrorEvent{{std::string(name_of(error.code())), error.what()}});
    return 1;
  } catch (const std::exception& error) {
    events.send(ErrorEvent{{std::string(name_of(ErrorCode::internal)), error.what()}});
    return 1;
  }
  events.send(DoneEvent{});
  return 0;
}

}  // namespace

int worker_main(std::string_view parent) {
  return process::child_main("worker", parent, run);
}

}  // namespace graphbench::worker
