// Reads the installed folder of example steps.
#include "harness/options/example_steps.hpp"

#include <algorithm>
#include <filesystem>

#include "graphs/base/files.hpp"
#include "graphs/base/text.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::options {

std::vector<ExampleStep> example_steps() {
  std::vector<ExampleStep> steps;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(module_directory() + "/examples", error)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != ".py") continue;
    ExampleStep step{path.stem(), "", path, read_whole_file(path, 1 << 20).text};
    const std::string first = step.text.substr(0, step.text.find('\n'));
    step.help = first.substr(std::min<std::size_t>(first.find_first_not_of('"'), first.size()));
    step.help.resize(std::min(step.help.find('"'), step.help.size()));
    steps.push_back(std::move(step));
  }
  std::ranges::sort(steps, {}, &ExampleStep::name);
  return steps;
}

ExampleStep example_step(const std::string& where, const std::string& name) {
  const std::vector<ExampleStep> steps = example_steps();
  if (steps.empty())
    throw InputError(where, "the example steps are not installed: there is no step in " + module_directory() +
                                "/examples");
  require_known(where, name, "step of graphbench list steps", model::names_of(steps));
  return *std::ranges::find(steps, name, &ExampleStep::name);
}

}  // namespace graphbench::options
