// Reads the probe's messages, and returns the probe's answer or throws its failure.
#include "harness/sweep/probe.hpp"

#include "graphs/base/error.hpp"
#include "graphs/base/process/exit_text.hpp"
#include "graphs/base/text.hpp"
#include "harness/sweep/probe_fields.hpp"

namespace graphbench::sweep {
namespace {

std::string option_of(const ProbeStage& stage, const options::SweepOptions& options) {
  if (stage.what == ProbeStage::What::plugin) return options.where("plugin");
  if (stage.what == ProbeStage::What::interpreter) return options.where("torch");
  if (stage.what == ProbeStage::What::device) return options.where("device");
  if (!options.package.file.empty()) return options.where("package");
  for (const options::SetOption& set : options.set) {
    if (set.workload == stage.subject) return set.where;
  }
  return options.where("workload");
}

[[noreturn]] void died(const ProbeStage& stage, const process::ChildExit& exit, double silent_seconds_max,
                       const options::SweepOptions& options) {
  const auto ended = [&](const char* during) {
    return process::how_it_ended(exit, silent_seconds_max, during);
  };
  switch (stage.what) {
    case ProbeStage::What::device:
      throw Error(ErrorCode::device_failed, "open device " + stage.subject + ": the driver " + ended(""));
    case ProbeStage::What::plugin:
      throw InputError(option_of(stage, options),
                       in_quotes(stage.subject) + " " + ended("while the file was loaded"));
    case ProbeStage::What::interpreter:
      throw InputError(option_of(stage, options),
                       in_quotes(stage.subject) + " " + ended("before the step was read"));
    case ProbeStage::What::program:
      break;
  }
  throw InputError(option_of(stage, options),
                   "workload " + in_quotes(stage.subject) + " " + ended("while the program was built"));
}

[[noreturn]] void failed(const ProbeFailure& failure, const options::SweepOptions& options) {
  if (!failure.bad_input) throw Error(ErrorCode::unsupported, failure.message);
  if (failure.stage.what == ProbeStage::What::device) throw InputError("", failure.message);
  const std::string option =
      failure.bad_split ? options.where("split-ops") : option_of(failure.stage, options);
  if (failure.stage.what == ProbeStage::What::program && !options.package.file.empty())
    throw InputError(option, in_quotes(options.package.file) + ": " + failure.message);
  if (failure.stage.what == ProbeStage::What::program) {
    throw InputError(option, "workload " + in_quotes(failure.stage.subject) + ": " + failure.message);
  }
  throw InputError(option, failure.message);
}

}  // namespace

ProbeAnswer ask_probe(process::ProcessSupervisor& supervisor, const ProbeSettings& settings,
                      const ProbeRequest& request, const options::SweepOptions& options) {
  ProbeStage stage{ProbeStage::What::device, request.device};
  if (options.torch.given()) stage = {ProbeStage::What::interpreter, options.torch.name()};
  std::optional<ProbeAnswer> answer;
  std::optional<ProbeFailure> failure;
  const auto on_line = [&](std::string_view line) {
    ProbeEvent event = model::read_message<ProbeEvent>(line, "read probe event");
    if (auto* begun = std::get_if<ProbeStage>(&event)) stage = std::move(*begun);
    if (auto* refused = std::get_if<ProbeFailure>(&event)) failure = std::move(*refused);
    if (auto* complete = std::get_if<ProbeAnswer>(&event)) answer = std::move(*complete);
  };
  const process::ChildExit exit =
      supervisor.ask({settings.command, model::write_data(request), settings.silent_seconds_max}, on_line);
  if (failure) failed(*failure, options);
  // The answer was complete when it was sent, so a later crash, such as in a destructor, is ignored.
  if (answer) return std::move(*answer);
  died(stage, exit, settings.silent_seconds_max, options);
}

}  // namespace graphbench::sweep
