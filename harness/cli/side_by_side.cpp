// Options of a sweep that these commands set themselves are parsed, so that they are refused by name.
#include "harness/cli/side_by_side.hpp"

#include <algorithm>

#include "harness/cli/instruments.hpp"
#include "harness/cli/planning.hpp"
#include "harness/config/option_table.hpp"
#include "harness/config/suggest.hpp"
#include "harness/model/input_error.hpp"
#include "harness/verdict/ab/cell_tasks.hpp"
#include "harness/verdict/ab/sub_sweep.hpp"

namespace graphbench::cli {
namespace {

const std::string launches_default = "5";

bool is_by_cell(const std::string& text) {
  static const std::vector<std::string> words = {"ladder", "cell"};
  if (text == words.front() || text == words.back()) return text == words.back();
  throw InputError("--alternate", in_quotes(text) + " is neither ladder nor cell: give one of them" +
                                      config::did_you_mean(text, words));
}

}  // namespace

SideBySideOptions::SideBySideOptions(Options& options, std::string command, std::string advice,
                                     const std::vector<std::string>& own)
    : options_(options), command_(std::move(command)), advice_(std::move(advice)) {
  options.text("--alternate", alternate_, "ladder|cell",
               "sides take turns with each ladder of batches, or with each cell (default: ladder)");
  options.config_file();
  std::vector<std::string> names = config::option_names();
  std::erase_if(names, [&](const std::string& name) { return std::ranges::find(own, name) != own.end(); });
  options.sweep_options(names, ab::refused_options());
  // A sweep's help says 1.
  options.describe("--launches", "worker processes a cell and side (default: " + launches_default + ")");
}

void SideBySideOptions::check() {
  sweep_ = options_.sweep();
  for (const std::string& name : ab::refused_options()) {
    const auto found = sweep_.find(name);
    if (found == sweep_.end()) continue;
    throw InputError(found->second.front().where, command_ + " does not take it: leave it out" + advice_);
  }
  if (!sweep_.contains("launches")) sweep_["launches"].push_back({launches_default, "--launches"});
  cell_processes_ = is_by_cell(alternate_);
}

ab::InterleavedRequest SideBySideOptions::request() const {
  ab::InterleavedRequest request;
  request.raw = sweep_;
  request.options = config::check_options(sweep_);
  check_cpu(request.options);
  request.seed = static_cast<std::uint64_t>(request.options.seed);
  return request;
}

model::Plan SideBySideOptions::plan(const ab::InterleavedRequest& request,
                                    const std::vector<std::string>& argv,
                                    process::ProcessSupervisor& supervisor) const {
  model::Plan plan = make_checked_plan(request.options, argv, supervisor).plan;
  return cell_processes_ ? ab::one_cell_a_task(std::move(plan)) : plan;
}

}  // namespace graphbench::cli
