// The main function of graphbench. It runs a command, or a child process of graphbench.
#include "harness/cli/commands.hpp"

int main(int argc, char** argv) {
  return graphbench::cli::run(argc, argv);
}
