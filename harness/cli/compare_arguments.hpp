// The arguments of `graphbench compare`, as they were written.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace graphbench::cli {

// How a verdict is reached and shown: what compare, ab and selfcheck share.
struct VerdictArguments {
  std::string margin;  // empty, as below: not given
  std::string floor;
  std::string alpha;
  std::string allow;
  std::string format;
  std::string output;
  bool strict = false;
};

struct CompareArguments {
  std::string base;
  std::string now;
  std::string against;  // instead of `base`: a branch, label or commit of the history
  std::string history;  // the history's file
  VerdictArguments verdict;
};

// Adds the options; `arguments` is filled when `app` parses and must stay where it is.
void add_verdict_options(CLI::App& app, VerdictArguments& arguments);

// Adds the command; `arguments` is filled when `app` parses and must stay where it is.
CLI::App& add_compare(CLI::App& app, CompareArguments& arguments);

// Moves NEW to its place where --against stands for BASE. Throws InputError where BASE or NEW is
// missing, something is left over, or an option is given twice or empty.
void check_compare(const CLI::App& command, CompareArguments& arguments);

}  // namespace graphbench::cli
