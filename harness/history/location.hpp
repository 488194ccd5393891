// The file of the history where the person names none.
#pragma once

#include <string>

#include "harness/history/labels.hpp"

namespace graphbench::history {

// GRAPHBENCH_HISTORY, else graphbench/history.sqlite under XDG_DATA_HOME or ~/.local/share. Throws
// InputError where none of these is set.
std::string default_file(const Environment& environment);

// Makes the folders of the default file. Throws Error(io).
void make_folder_of(const std::string& file);

}  // namespace graphbench::history
