// As wide and as colourful as stderr allows.
#include "harness/cli/console_progress.hpp"

#include <unistd.h>

#include <iostream>

#include "harness/cli/streams.hpp"

namespace graphbench::cli {

ConsoleProgress::ConsoleProgress(bool quiet) {
  if (quiet) return;
  printer_.emplace(std::cerr, is_terminal(STDERR_FILENO), wants_colours(STDERR_FILENO),
                   width_of(STDERR_FILENO, 100));
}

void ConsoleProgress::update(const model::Progress& progress) {
  if (printer_) printer_->update(progress);
}

void ConsoleProgress::finish() {
  if (printer_) printer_->finish();
}

}  // namespace graphbench::cli
