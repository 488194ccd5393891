// The canary process, `graphbench --canary-process [PARENT]`: it measures each floor once, or answers one
// probe. Users do not start it themselves.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/base/process/process_supervisor.hpp"
#include "harness/canary/canary.hpp"
#include "harness/model/settings.hpp"

namespace graphbench::canary {

// The first argument of the process.
inline constexpr const char* canary_role = "--canary-process";

// `floors`, or a probe.
enum class Ask : std::uint8_t {
  floors,
  failed_capture,
  cluster_update,
  programmatic_edge,
  conditional,
  soak
};

struct CanaryRequest {
  std::string device;  // "cuda", "cuda:1", "host"
  Ask ask;
  double hang_seconds;  // a call that takes this long hangs
  double soak_seconds;
  model::InstrumentOptions instruments;
};

struct CanaryAnswer {
  model::CellStatus status = model::CellStatus::ok;
  std::optional<model::Reason> reason = {};  // present unless the status is ok; of a probe: why not `yes`
  model::DeviceFacts facts{};
  std::map<std::string, double> values = {};  // by FloorRow::name
  Answer answer = Answer::yes;                // of a probe
  std::optional<Hang> hang = {};
};

// Reads a CanaryRequest from stdin and sends one CanaryAnswer on file descriptor 3. `parent`: the parent's
// process id, or "" (process::die_with_parent). Returns the exit code.
int canary_main(std::string_view parent);

// Starts a canary process and returns its answer. A process that dies answers a probe with `no`. Throws
// process::Interrupted.
CanaryAnswer ask_canary(process::ProcessSupervisor& supervisor, const std::vector<std::string>& command,
                        const CanaryRequest& request);

}  // namespace graphbench::canary
