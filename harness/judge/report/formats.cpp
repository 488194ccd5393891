// The table of formats. A new format needs a row here and a file in this folder.
#include "harness/judge/report/formats.hpp"

#include <algorithm>

namespace graphbench::reporters {

const std::vector<Format>& formats() {
  static const std::vector<Format> all = {
      {"table", "text for a terminal", print_comparison_table},
      {"json", "the document graphbench.comparison/1", print_comparison_json},
      {"markdown", "Markdown for a pull request", print_comparison_markdown},
      {"junit", "JUnit XML", print_comparison_junit},
      {"github", "annotations for a GitHub workflow", print_comparison_github},
  };
  return all;
}

const Format* find_format(std::string_view name) {
  const auto found = std::ranges::find(formats(), name, &Format::name);
  return found == formats().end() ? nullptr : &*found;
}

}  // namespace graphbench::reporters
