// Finds the steps of PyTorch that are installed with this program: files with a function build(batch,
// device).
#pragma once

#include <string>
#include <vector>

namespace graphbench::options {

struct ExampleStep {
  std::string name;
  std::string help;  // the first line of the file's docstring
  std::string file;
  std::string text;
};

// In the order of their names.
std::vector<ExampleStep> example_steps();

// Throws InputError(where) with the known names.
ExampleStep example_step(const std::string& where, const std::string& name);

}  // namespace graphbench::options
