// What stdout and stderr can show.
#pragma once

namespace graphbench::cli {

// Opens /dev/null on each of descriptors 0 to 2 that the caller closed, so that no file or pipe of ours
// takes its place. Ignores SIGPIPE and SIGXFSZ: a write that fails is reported where it is made.
void prepare_streams();

bool is_terminal(int descriptor);

// Whether stdout is a pipe whose reader has gone ("| head"): what was not written was not wanted.
bool reader_is_gone();

// A terminal that is not "dumb", and no NO_COLOR in the environment (no-color.org: any value but the
// empty one).
bool wants_colours(int descriptor);

// Columns of the terminal, `fallback` where it is none.
int width_of(int descriptor, int fallback);

}  // namespace graphbench::cli
