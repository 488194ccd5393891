// Connects run_worker() to stdin and file descriptor 3.
#include "harness/measure/worker/worker_main.hpp"

#include <exception>

#include "graphs/base/error.hpp"
#include "graphs/base/process/child_io.hpp"
#include "harness/measure/worker/protocol.hpp"
#include "harness/measure/worker/worker.hpp"

namespace graphbench::worker {
namespace {

void send(const WorkerEvent& event) {
  process::send_line(encode_event(event));
}

int run_requested_task(const std::string& request, const abi::LentPlugin* lent) {
  const auto tell = [&](WorkerEvent event) {
    if (lent != nullptr && event.device) event.device->libraries[lent->plugin->name] = lent->plugin->version;
    send(event);
  };
  try {
    run_worker(decode_task(request), tell, lent);
    return 0;
  } catch (const std::exception& error) {
    send({.error = model::reason_of(error)});
    return 1;
  }
}

}  // namespace

int worker_main(std::string_view parent, const abi::LentPlugin* lent) {
  return process::child_main("worker", parent,
                             [&](const std::string& request) { return run_requested_task(request, lent); });
}

}  // namespace graphbench::worker
