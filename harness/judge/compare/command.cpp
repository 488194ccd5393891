// Runs graphbench compare, which reports what became slower between two results and sets the exit code.
#include "harness/options/command.hpp"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/judge/compare/compare.hpp"
#include "harness/judge/compare/read_side.hpp"
#include "harness/judge/history/baseline.hpp"
#include "harness/judge/history/defaults.hpp"
#include "harness/judge/verdict.hpp"

namespace graphbench::judge {
namespace {

constexpr const char* compare_footer =
    "BASE and NEW are result documents, or folders of result documents (one per shard or launch).\nExit "
    "codes: 0 nothing "
    "slower; 2 bad usage or input; 10 slower, or a cell or metric is no longer measured; 11\nblind: "
    "no latency is decided, a side is not complete, less power than --require-power, or with --strict an\n"
    "inconclusive metric; 12 not comparable, or no common cell. docs/comparing.md explains\n"
    "every number.\n";

struct CompareArguments {
  std::string base;
  std::string now;
  std::string against;  // instead of `base`: a branch, label or commit of the history
  std::string history;
  VerdictArguments verdict;
};

// Checks the paths. With --against, the user gives only NEW's path, which is moved from `base` to `now`.
void check_sides(CompareArguments& arguments) {
  if (!arguments.against.empty()) {
    if (!arguments.now.empty()) {
      throw InputError("--against", "BASE comes from the history, so " + in_quotes(arguments.now) +
                                        " is one argument too many: give only NEW");
    }
    arguments.now = std::exchange(arguments.base, "");
  } else if (!arguments.history.empty()) {
    throw InputError(
        "--history",
        "the option applies only if BASE comes from the history: give --against NAME instead of BASE");
  } else if (arguments.base.empty()) {
    throw InputError("compare", "BASE is missing: graphbench compare BASE NEW");
  }
  if (arguments.now.empty()) throw InputError("compare", "NEW is missing: graphbench compare BASE NEW");
}

Side baseline_of(const CompareArguments& asked, const Side& now, const model::ComparisonSettings& settings) {
  const std::string file = asked.history.empty() ? default_file(process_environment()) : asked.history;
  Store store(file, Store::Access::existing);
  return find_baseline(store, {asked.against, asked.now, settings.allow}, now);
}

void check_not_a_side(const CompareArguments& asked) {
  std::error_code error;
  for (const std::string& side : {asked.base, asked.now}) {
    if (asked.verdict.output.empty() || side.empty()) continue;
    if (!std::filesystem::equivalent(asked.verdict.output, side, error)) continue;
    throw InputError("-o", in_quotes(asked.verdict.output) + " is the same file as " + in_quotes(side) +
                               ", which is compared: give another file");
  }
}

class CompareCommand final : public options::Command {
 public:
  explicit CompareCommand(options::Options& options) {
    options.footer(compare_footer);
    options.word("BASE", asked_.base, "the older result");
    options.word("NEW", asked_.now, "the newer result");
    options.text("--against", asked_.against, "NAME",
                 "take the latest result of this branch, label or commit in the history as BASE");
    options.text("--history", asked_.history, "FILE", "the history file for --against");
    options.flag("--common", asked_.verdict.common,
                 "compare only the cells that both sides have, even if their plans differ");
    add_verdict_options(options, asked_.verdict);
  }

  void check() override { check_sides(asked_); }

  int run(const options::Invocation&) override {
    const VerdictRequest request(asked_.verdict);
    check_not_a_side(asked_);
    Sides sides;
    if (asked_.against.empty()) {
      sides = read_sides(asked_.base, asked_.now);
    } else {
      sides.now = read_side(asked_.now);
      sides.base = baseline_of(asked_, sides.now, request.settings);
    }
    const model::Comparison comparison = compare(sides.base, sides.now, request.settings);
    print_verdict(comparison, request);
    return exit_code_of(comparison);
  }

 private:
  CompareArguments asked_;
};

}  // namespace

std::unique_ptr<options::Command> make_compare(options::Options& options) {
  return std::make_unique<CompareCommand>(options);
}

}  // namespace graphbench::judge
