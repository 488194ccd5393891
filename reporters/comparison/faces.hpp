// What a comparison can be shown as. A face is a function in a file of its own and a row in faces.cpp.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/comparison.hpp"

namespace graphbench::reporters {

struct FaceOptions {
  bool colours = false;
};

struct Face {
  std::string_view name;  // what --format takes
  std::string_view what;  // for --help
  void (*print)(std::ostream& out, const model::Comparison& comparison, const FaceOptions& options);
};

// The first is the default.
const std::vector<Face>& faces();
// Null where there is none of that name.
const Face* find_face(std::string_view name);

// For people at a terminal: what became slower first, what did not change in one line, what to do last.
void print_comparison_table(std::ostream& out, const model::Comparison& comparison,
                            const FaceOptions& options);
// The document `graphbench.comparison/1`, one cell a line.
void print_comparison_json(std::ostream& out, const model::Comparison& comparison,
                           const FaceOptions& options);

}  // namespace graphbench::reporters
