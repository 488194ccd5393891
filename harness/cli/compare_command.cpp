// graphbench compare: what became slower between two results, as an exit code and a face.
#include <filesystem>
#include <string>
#include <system_error>

#include "harness/cli/commands.hpp"
#include "harness/cli/verdict.hpp"
#include "harness/history/baseline.hpp"
#include "harness/history/labels.hpp"
#include "harness/history/location.hpp"
#include "harness/model/input_error.hpp"
#include "harness/verdict/compare/compare.hpp"
#include "harness/verdict/compare/read_side.hpp"

namespace graphbench::cli {
namespace {

compare::Side baseline_of(const CompareArguments& asked, const compare::Side& now,
                          const model::ComparisonSettings& settings) {
  const std::string file =
      asked.history.empty() ? history::default_file(history::process_environment()) : asked.history;
  history::Store store(file, history::Store::Access::existing);
  return history::find_baseline(store, {asked.against, asked.now, settings.allow}, now);
}

// The result of a comparison must not take the place of what it compared.
void check_not_a_side(const CompareArguments& asked) {
  std::error_code error;
  for (const std::string& side : {asked.base, asked.now}) {
    if (asked.verdict.output.empty() || side.empty()) continue;
    if (!std::filesystem::equivalent(asked.verdict.output, side, error)) continue;
    throw InputError("-o", in_quotes(asked.verdict.output) + " is the same file as " + in_quotes(side) +
                               ", which is compared: give another");
  }
}

}  // namespace

int compare_command(const Arguments& arguments) {
  const CompareArguments& asked = arguments.compare;
  const VerdictRequest request(asked.verdict);
  check_not_a_side(asked);
  compare::Sides sides;
  if (asked.against.empty()) {
    sides = compare::read_sides(asked.base, asked.now);
  } else {
    // NEW first: it says which baseline fits.
    sides.now = compare::read_side(asked.now);
    sides.base = baseline_of(asked, sides.now, request.settings);
  }
  const model::Comparison comparison = compare::compare(sides.base, sides.now, request.settings);
  print_verdict(comparison, request);
  return exit_code_of(comparison);
}

}  // namespace graphbench::cli
