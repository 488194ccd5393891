// Makes the command line of one side's sweep from the group's value on every axis and the user's options.
#include "harness/judge/ab/sub_sweep.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "graphs/base/process/exit_text.hpp"
#include "graphs/base/process/process_supervisor.hpp"
#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"
#include "harness/options/option_table.hpp"

namespace graphbench::judge {
namespace {

// Whether the option changes a cell of the task. A sweep refuses the option otherwise.
bool reaches(const options::OptionSpec& option, const model::WorkerTask& task,
             const options::SweepOptions& options) {
  if (option.reach.changes == nullptr) return true;
  const std::string device = task.device.substr(0, task.device.find(':'));
  return std::ranges::any_of(task.batches, [&](std::int64_t batch) {
    return option.reach.changes(model::cell_of(task, batch), device, options);
  });
}

constexpr double version_seconds_max = 20;

}  // namespace

std::vector<std::string> refused_options() {
  std::vector<std::string> names;
  for (const options::OptionSpec& option : options::sweep_options()) {
    if (option.in_ab == options::InAb::refused) names.push_back(option.name);
  }
  return names;
}

std::vector<std::string> arguments_of(const SubSweep& sweep, const options::RawOptions& raw,
                                      const options::SweepOptions& options) {
  const model::WorkerTask& task = sweep.task;
  std::vector<std::string> arguments = {
      "--sweep",    "--quiet",
      "--launches", "1",
      "--json",     sweep.json,
      "--seed",     std::to_string(sweep.seed),
      "--device",   task.device,
      "--workload", task.workload,
      "--preset",   task.preset,
      "--dtype",    task.dtype,
      "--mode",     task.mode,
      "--warmup",   std::to_string(task.warmup),
      "--batch",    join(task.batches, ",", [](std::int64_t batch) { return std::to_string(batch); })};
  const auto add = [&](const std::string& name, const std::string& value) {
    arguments.push_back("--" + name);
    arguments.push_back(value);
  };
  // An older binary does not know --pass, so only a training task gives it.
  if (task.pass == "training") add("pass", task.pass);
  for (const auto& [name, value] : task.more_axes) add(name, value);
  for (const std::string& plugin : options.plugins) add("plugin", plugin);
  // A sweep refuses settings of other workloads.
  for (const options::SetOption& set : options.set) {
    const std::string value = set.word.empty() ? std::to_string(set.value) : set.word;
    if (set.workload == task.workload) add("set", set.workload + "." + set.key + "=" + value);
  }
  // Each binary has its own defaults, so only what the user gives is passed on.
  for (const options::OptionSpec& option : options::sweep_options()) {
    if (option.in_ab != options::InAb::passed || !options::is_given(raw, option) ||
        !reaches(option, task, options))
      continue;
    if (option.kind == options::OptionKind::flag) {
      arguments.push_back("--" + option.name);
    } else {
      add(option.name, join(raw.at(option.name), ",", &options::RawItem::text));
    }
  }
  return arguments;
}

std::string file_of(const Target& target) {
  return std::filesystem::absolute(target.binary).lexically_normal().string();
}

void check_target(process::ProcessSupervisor& supervisor, const Target& target) {
  const std::string file = file_of(target);
  const std::string name = in_quotes(target.binary);
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    throw InputError(target.where, name + " is not a file: give the path of a graphbench binary");
  if (access(file.c_str(), X_OK) != 0)
    throw InputError(target.where, name + " cannot be executed: give the path of a graphbench binary");
  process::ChildCommand command;
  command.argv = {file, "--version"};
  command.silent_seconds_max = version_seconds_max;
  command.environment = target.environment;
  process::ChildExit exit;
  try {
    exit = supervisor.run(command, [](std::string_view) {});
  } catch (const std::exception& failure) {
    throw InputError(target.where, name + " cannot be started (" + failure.what() + ")");
  }
  if (exit.how == process::ChildExit::How::interrupted) throw process::Interrupted();
  if (exit.well() && exit.output.starts_with("graphbench ")) return;
  const std::string said = process::last_lines(exit.output);
  throw InputError(target.where, name + " is not graphbench: with --version, the program " +
                                     (said.empty() ? "said nothing" : "said " + in_quotes(said)));
}

void check_variable(const std::string& where, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && equals > 0) return;
  throw InputError(where, in_quotes(text) + " is not an environment variable: give NAME=VALUE");
}

}  // namespace graphbench::judge
