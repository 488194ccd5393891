// The bill process, `graphbench --bill-process [PARENT]`, and the function by which its parent runs it. The
// process captures sizes, and reads device memory after each size. Users do not start it themselves.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/abi/plugin.hpp"
#include "graphs/base/process/process_supervisor.hpp"
#include "harness/bill/bill.hpp"
#include "harness/model/plan.hpp"

namespace graphbench::bill {

struct BillTask {
  model::WorkerTask task;          // its batches are the sizes
  std::vector<std::string> modes;  // all sizes are captured in modes[0], then all in modes[1]
  bool shares_execs = false;
  // Bytes that another allocation leaves free before the first capture; absent: there is no such allocation.
  // With `free_bytes` the process only captures, and times no steps.
  std::optional<double> free_bytes = {};
  // Before the capture that is answered, all sizes are captured and destroyed so often. Outputs are then
  // checked.
  std::int64_t cycles = 0;
};

struct BillAnswer {
  model::CellStatus status = model::CellStatus::ok;
  std::optional<model::Reason> reason = {};
  std::int64_t failed_at = 0;  // the size that was being captured; 0: none
  std::optional<model::DeviceFacts> device = {};
  std::vector<model::LibraryChoice> choices = {};
  model::Startup startup{};
  Account start = {};  // before the first capture
  std::vector<Capture> captures = {};
  std::vector<Cycle> cycles = {};
  Outputs outputs = {};
};

// Reads a BillTask from stdin and sends one BillAnswer on file descriptor 3. Before each capture, it sends a
// pending answer, whose `failed_at` is the size. Returns the exit code. `lent`: a plugin of the program that
// runs this process, such as Python; null: graphbench runs it.
int bill_main(std::string_view parent, const abi::LentPlugin* lent);

// Runs a bill process and returns its answer, whose status is `failed` if the process dies. Throws
// process::Interrupted.
BillAnswer ask_bill(process::ProcessSupervisor& supervisor, const std::vector<std::string>& command,
                    BillTask task, double silent_seconds_max, const process::TickHandler& on_tick);

}  // namespace graphbench::bill
