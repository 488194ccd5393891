// One question, one answer.
#include "harness/sweep/probe.hpp"

#include <unistd.h>

#include "graphs/ir/error.hpp"
#include "harness/model/input_error.hpp"
#include "harness/process/exit_text.hpp"

namespace graphbench::sweep {
namespace {

std::string how_it_ended(const ChildExit& exit, const ProbeSettings& settings) {
  std::string text;
  switch (exit.how) {
    case ChildExit::How::signalled:
      text = "crashed with " + signal_name(exit.signal);
      break;
    case ChildExit::How::timed_out:
      text = "did not come back within " + seconds_text(settings.silent_seconds_max);
      break;
    case ChildExit::How::refused:
      text = "broke the protocol (" + exit.refusal + ")";
      break;
    default:
      text = "ended the process with exit code " + std::to_string(exit.status);
      break;
  }
  const std::string said = last_lines(exit.output);
  return said.empty() ? text : text + "; it said: " + said;
}

// Which option to blame for a stage.
std::string place_of(const ProbeStage& stage, const config::SweepOptions& options) {
  if (stage.what == ProbeStage::What::plugin) return options.where("plugin");
  if (stage.what == ProbeStage::What::device) return options.where("device");
  for (const config::SetOption& set : options.set) {
    if (set.workload == stage.subject) return set.where;
  }
  return options.where("workload");
}

[[noreturn]] void died(const ProbeStage& stage, const std::string& how, const config::SweepOptions& options) {
  switch (stage.what) {
    case ProbeStage::What::device:
      throw Error(ErrorCode::device_failed, "open device " + stage.subject + ": the driver " + how);
    case ProbeStage::What::plugin:
      throw InputError(place_of(stage, options),
                       in_quotes(stage.subject) + " " + how + " while it was loaded");
    case ProbeStage::What::program:
      break;
  }
  throw InputError(place_of(stage, options),
                   "workload " + in_quotes(stage.subject) + " " + how + " while its program was built");
}

[[noreturn]] void failed(const ProbeFailure& failure, const config::SweepOptions& options) {
  if (!failure.bad_input) throw Error(ErrorCode::unsupported, failure.message);
  const std::string place = failure.bad_split ? options.where("split-ops") : place_of(failure.stage, options);
  if (failure.stage.what == ProbeStage::What::program) {
    throw InputError(place, "workload " + in_quotes(failure.stage.subject) + ": " + failure.message);
  }
  throw InputError(place, failure.message);
}

}  // namespace

std::vector<std::string> own_command(const std::string& role) {
  return {"/proc/self/exe", role, std::to_string(getpid())};
}

ProbeAnswer ask_probe(ProcessSupervisor& supervisor, const ProbeSettings& settings,
                      const ProbeRequest& request, const config::SweepOptions& options) {
  ProbeStage stage{ProbeStage::What::device, request.device};
  std::optional<ProbeAnswer> answer;
  std::optional<ProbeFailure> failure;
  const auto on_line = [&](std::string_view line) {
    ProbeEvent event = decode_probe_event(line);
    if (auto* begun = std::get_if<ProbeStage>(&event)) stage = std::move(*begun);
    if (auto* refused = std::get_if<ProbeFailure>(&event)) failure = std::move(*refused);
    if (auto* complete = std::get_if<ProbeAnswer>(&event)) answer = std::move(*complete);
  };
  const ChildCommand command{settings.command, encode_request(request), settings.silent_seconds_max};
  const ChildExit exit = supervisor.run(command, on_line);
  if (exit.how == ChildExit::How::interrupted) throw Interrupted();
  if (failure) failed(*failure, options);
  // An answer is complete when it is sent; a crash of some destructor after it changes nothing.
  if (answer) return std::move(*answer);
  died(stage, how_it_ended(exit, settings), options);
}

}  // namespace graphbench::sweep
