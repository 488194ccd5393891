// Prints enumerations that are test parameters, for GoogleTest's messages and for CTest's names of tests.
#pragma once

#include <ostream>

#include "graphs/execution/executor.hpp"
#include "graphs/ir/types.hpp"

namespace graphbench::ir {

inline void PrintTo(DType dtype, std::ostream* out) {
  *out << name_of(dtype);
}

}  // namespace graphbench::ir

namespace graphbench::execution {

inline void PrintTo(ExecutionMode mode, std::ostream* out) {
  *out << name_of(mode);
}

}  // namespace graphbench::execution
