// Runs graphbench completion, which prints what shells complete, and the manual page. Both are made from the
// parser's own options, when they are asked for, so they cannot lack one.
#include <algorithm>
#include <cstdio>

#include "graphs/base/text.hpp"
#include "harness/cli/commands.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::cli {
namespace {

class CompletionCommand final : public options::Command {
 public:
  explicit CompletionCommand(options::Options& options) {
    options.word("WHAT", what_, join(model::names_of(completions())), model::names_of(completions()));
  }

  void check() override {
    const std::vector<std::string> known = model::names_of(completions());
    if (what_.empty()) throw InputError("completion", "the command needs a shell: give " + join(known));
    require_known("completion", what_, "shell", known);
  }

  int run(const options::Invocation&) override {
    const CompletionRow& row = *std::ranges::find(completions(), what_, &CompletionRow::name);
    std::fputs(row.text(CommandLine().shape()).c_str(), stdout);
    return model::exit_done;
  }

 private:
  std::string what_;
};

}  // namespace

const std::vector<CompletionRow>& completions() {
  static const std::vector<CompletionRow> rows = {
      {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}, {"man", manual_page}};
  return rows;
}

std::unique_ptr<options::Command> make_completion(options::Options& options) {
  return std::make_unique<CompletionCommand>(options);
}

}  // namespace graphbench::cli
