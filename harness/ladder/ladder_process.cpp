// Runs the ladder process, which builds the program, opens the device as a worker does, serves and answers.
#include "harness/ladder/ladder_process.hpp"

#include <exception>

#include "graphs/abi/plugin.hpp"
#include "graphs/backends/registry.hpp"
#include "graphs/base/process/child_io.hpp"
#include "harness/measure/machine/pinning.hpp"
#include "harness/measure/worker/placement.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::ladder {
namespace {

void fail(ServeAnswer& answer, const std::string& code, const std::string& message, bool skip = false) {
  answer.status = skip ? model::CellStatus::skipped : model::CellStatus::failed;
  answer.reason = model::Reason{code, message};
}

void serve_on_device(const ServeTask& task, ServeAnswer& answer) {
  worker::StartupClock clock(task.task.spawned_ns);
  abi::WorkloadRegistry registry;
  workloads::add_builtin(registry);
  for (const std::string& plugin : task.task.plugins) registry.load(plugin);
  const ir::Program program = worker::build_program(registry, task.task);
  clock.lap(&model::Startup::plugin_seconds);
  load_backend(task.task.device);
  clock.lap(&model::Startup::module_seconds);
  machine::SubmitterPin pin(task.task.instruments, machine::allowed_cpus(),
                            !task.task.device.starts_with("host"));
  worker::Placement placement(
      task.task, [&] { return open_device(task.task.device); },
      [&](Device& device) { return std::make_unique<worker::TaskRig>(task.task, device, program); }, pin);
  clock.lap(&model::Startup::context_seconds);
  answer.device = placement.device().info();
  const ServeHooks hooks{.alive = [] { process::send_line(encode_alive({"serve"})); },
                         .move = [&](std::uint64_t seed) { placement.move(seed); }};
  serve(task, *placement.rig().of_program(), program, clock, hooks, answer);
  answer.choices = placement.device().library_choices();
}

}  // namespace

int ladder_main(std::string_view parent) {
  return process::child_main("ladder process", parent, [](const std::string& request) {
    ServeAnswer answer;
    try {
      serve_on_device(decode_task(request), answer);
    } catch (const Error& error) {
      const bool skip = worker::is_skip(error.code()) || error.code() == ErrorCode::not_batch_major ||
                        error.code() == ErrorCode::state_not_splittable;
      fail(answer, std::string(name_of(error.code())), error.what(), skip);
    } catch (const std::exception& error) {
      fail(answer, std::string(name_of(ErrorCode::internal)), error.what());
    }
    process::send_line(encode_answer(answer));
    return 0;
  });
}

}  // namespace graphbench::ladder
