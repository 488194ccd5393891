// The process of `graphbench bill` that captures sizes and reads after each what it took:
// `graphbench --bill-process [PARENT]`, started by the command line, never by a person; and its parent's
// side.
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
  std::vector<std::string> modes;  // of each size, one mode after the other
  bool shares_execs = false;
  // Memory that is free before the first capture, because an allocation lies beside; absent: all of it. Such
  // a run only captures.
  std::optional<double> free_bytes = {};
};

struct BillAnswer {
  model::CellStatus status = model::CellStatus::ok;
  std::optional<model::Reason> reason = {};
  std::int64_t failed_at = 0;  // the size; 0: none was at work
  std::optional<model::DeviceFacts> device = {};
  std::vector<model::LibraryChoice> choices = {};
  model::Startup startup{};
  Account start = {};  // before the first capture
  std::vector<Capture> captures = {};
};

// Reads a BillTask from stdin, sends one BillAnswer on descriptor 3. Returns the exit code. `lent`: the step
// of a process that is not ours; null: this is ours.
int bill_main(std::string_view parent, const abi::LentPlugin* lent);

// A process that dies is a failed answer. Throws Interrupted.
BillAnswer ask_bill(process::ProcessSupervisor& supervisor, const std::vector<std::string>& command,
                    BillTask task, double silent_seconds_max);

}  // namespace graphbench::bill
