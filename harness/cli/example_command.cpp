// Runs graphbench example, which prints a step of PyTorch that is installed with this program.
#include <cstdio>

#include "graphs/base/text.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/options/command.hpp"
#include "harness/options/example_steps.hpp"

namespace graphbench::cli {
namespace {

class ExampleCommand final : public options::Command {
 public:
  explicit ExampleCommand(options::Options& options) {
    options.word("NAME", name_, "a step of \"graphbench list steps\"");
  }

  void check() override { step_ = options::example_step("example", name_); }

  int run(const options::Invocation&) override {
    std::fputs(step_.text.c_str(), stdout);
    return model::exit_done;
  }

 private:
  std::string name_;
  options::ExampleStep step_;
};

}  // namespace

std::unique_ptr<options::Command> make_example(options::Options& options) {
  return std::make_unique<ExampleCommand>(options);
}

}  // namespace graphbench::cli
