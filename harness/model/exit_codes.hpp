// The exit codes of the command line. CI scripts and the parents of sweep processes depend on these values.
#pragma once

namespace graphbench::model {

inline constexpr int exit_done = 0;
inline constexpr int exit_error = 1;
inline constexpr int exit_bad_input = 2;
inline constexpr int exit_cells_failed = 3;
inline constexpr int exit_slower = 10;
inline constexpr int exit_few_hits = 10;  // of ladder
inline constexpr int exit_inconclusive = 11;
inline constexpr int exit_not_comparable = 12;
inline constexpr int exit_hung = 13;
inline constexpr int exit_interrupted = 130;

}  // namespace graphbench::model
