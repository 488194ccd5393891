// graphbench: a command line, and the kinds of child process it starts itself as.
#include "harness/cli/commands.hpp"

int main(int argc, char** argv) {
  return graphbench::cli::run(argc, argv);
}
