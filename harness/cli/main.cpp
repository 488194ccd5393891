// The main function of graphbench: a command line, or a child process that graphbench starts itself as.
#include "harness/cli/commands.hpp"

int main(int argc, char** argv) {
  return graphbench::cli::run(argc, argv);
}
