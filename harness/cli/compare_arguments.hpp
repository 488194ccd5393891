// The arguments of `graphbench compare`, as they were written.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace graphbench::cli {

struct CompareArguments {
  std::string base;
  std::string now;
  std::string margin;  // empty, as below: not given
  std::string floor;
  std::string alpha;
  std::string allow;
  std::string format;
  std::string output;
  bool strict = false;
};

// Adds the command; `arguments` is filled when `app` parses and must stay where it is.
CLI::App& add_compare(CLI::App& app, CompareArguments& arguments);

// Throws config::InputError where BASE or NEW is missing, something is left over, or an option is given
// twice or empty.
void check_compare(const CLI::App& command, const CompareArguments& arguments);

}  // namespace graphbench::cli
