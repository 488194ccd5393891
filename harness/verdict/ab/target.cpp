// A binary is known by what it says, not by its name.
#include "harness/verdict/ab/target.hpp"

#include <unistd.h>

#include <filesystem>

#include "harness/model/input_error.hpp"
#include "harness/process/exit_text.hpp"
#include "harness/process/process_supervisor.hpp"

namespace graphbench::ab {
namespace {

constexpr double version_seconds_max = 20;

}  // namespace

std::string file_of(const Target& target) {
  return std::filesystem::absolute(target.binary).lexically_normal().string();
}

void check_target(process::ProcessSupervisor& supervisor, const Target& target) {
  const std::string file = file_of(target);
  const std::string name = in_quotes(target.binary);
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    throw InputError(target.where, name + " is no file: give the path of a graphbench binary");
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
  const bool well = exit.how == process::ChildExit::How::exited && exit.status == 0;
  if (well && exit.output.starts_with("graphbench ")) return;
  const std::string said = process::last_lines(exit.output);
  throw InputError(target.where, name + " is no graphbench: asked for its --version, it " +
                                     (said.empty() ? "said nothing" : "said " + in_quotes(said)));
}

void check_variable(const std::string& where, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && equals > 0) return;
  throw InputError(where, in_quotes(text) + " is no variable: give NAME=VALUE");
}

}  // namespace graphbench::ab
