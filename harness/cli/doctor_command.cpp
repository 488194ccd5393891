// Runs graphbench doctor, which replaces this process by Python. Python captures a step and names the ops
// that stop the capture.
#include <unistd.h>

#include <cstdio>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/options/command.hpp"
#include "harness/options/option_table.hpp"
#include "harness/options/options.hpp"
#include "harness/options/output.hpp"
#include "harness/sweep/planning.hpp"

namespace graphbench::cli {
namespace {

constexpr const char* doctor_footer =
    "Without a GPU, or with --device host, it says what eager steps show, and that a GPU must decide.\n"
    "Exit codes: 0 nothing stops a capture; 1 the step failed; 2 bad usage, or no such GPU; 10 something "
    "stops a "
    "capture, or a replay is not eager's step.\n";

class DoctorCommand final : public options::Command {
 public:
  explicit DoctorCommand(options::Options& options) : options_(options) {
    options.sweep_options(options::options_for("doctor"));
    options.footer(doctor_footer);
  }

  void check() override {
    sweep_ = options::check_options(options_.sweep());
    if (!sweep_.torch.given())
      throw InputError("doctor", "the command needs a step: give --torch FILE.py:FUNCTION");
    if (sweep_.places.contains("batch") && sweep_.axes.batch.size() > 1)
      throw InputError(sweep_.where("batch"), "doctor captures only one batch size: give one batch size");
    if (sweep_.places.contains("json"))
      options::check_output_file(sweep_.where("json"), sweep_.json, options::Stdout::allowed);
  }

  int run(const options::Invocation&) override {
    std::vector<std::string> command = sweep::child_command(sweep_, options::doctor_role);
    command.at(3) = std::to_string(getppid());  // Python's parent: execv() does not change it
    command.push_back(sweep_.axes.batch.empty() ? "1" : std::to_string(sweep_.axes.batch.front()));
    command.push_back(sweep_.device);
    command.push_back(sweep_.places.contains("json") ? sweep_.json : "");
    std::vector<char*> argv;
    for (std::string& each : command) argv.push_back(each.data());
    argv.push_back(nullptr);
    std::fflush(nullptr);
    execv(argv.front(), argv.data());
    throw Error(ErrorCode::io, "start " + command.front());
  }

 private:
  options::Options& options_;
  options::SweepOptions sweep_;
};

}  // namespace

std::unique_ptr<options::Command> make_doctor(options::Options& options) {
  return std::make_unique<DoctorCommand>(options);
}

}  // namespace graphbench::cli
