// Runs graphbench example, which prints a step of PyTorch that is installed with this program.
#include <cstdio>

#include "graphs/base/text.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/options/command.hpp"
#include "harness/options/example_steps.hpp"

namespace graphbench::cli {
namespace {

class ExampleCommand final : public Command {
 public:
  explicit ExampleCommand(Options& options) {
    options.word("NAME", name_, "a step of \"graphbench list steps\"");
  }

  void check() override { step_ = config::example_step("example", name_); }

  int run(const Invocation&) override {
    std::fputs(step_.text.c_str(), stdout);
    return exit_done;
  }

 private:
  std::string name_;
  config::ExampleStep step_;
};

}  // namespace

std::unique_ptr<Command> make_example(Options& options) {
  return std::make_unique<ExampleCommand>(options);
}

}  // namespace graphbench::cli
