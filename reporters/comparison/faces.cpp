// The table of faces: adding one adds a row here and its file to the folder.
#include "reporters/comparison/faces.hpp"

#include <algorithm>

namespace graphbench::reporters {

const std::vector<Face>& faces() {
  static const std::vector<Face> all = {
      {"table", "for a terminal", print_comparison_table},
      {"json", "the document graphbench.comparison/1", print_comparison_json},
      {"markdown", "for a pull request", print_comparison_markdown},
      {"junit", "JUnit XML", print_comparison_junit},
      {"github", "annotations of a GitHub workflow", print_comparison_github},
  };
  return all;
}

const Face* find_face(std::string_view name) {
  const auto found = std::ranges::find(faces(), name, &Face::name);
  return found == faces().end() ? nullptr : &*found;
}

}  // namespace graphbench::reporters
