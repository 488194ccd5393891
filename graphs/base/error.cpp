// Spells the error codes, and prints a failed assertion before it aborts.
#include "graphs/base/error.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace graphbench {
namespace {

// In the order of ErrorCode.
constexpr std::array<std::string_view, 32> code_names{"invalid_argument",
                                                      "unsupported",
                                                      "out_of_memory",
                                                      "capture_unsupported",
                                                      "capture_invalidated",
                                                      "capture_merge",
                                                      "capture_unmatched",
                                                      "capture_unjoined",
                                                      "capture_isolation",
                                                      "capture_implicit",
                                                      "captured_event",
                                                      "capture_wrong_thread",
                                                      "graph_timeout",
                                                      "graph_update_failed",
                                                      "not_capturable_op",
                                                      "host_op",
                                                      "mutated_input",
                                                      "address_moved",
                                                      "not_batch_major",
                                                      "state_not_splittable",
                                                      "recorded_nothing",
                                                      "undeclared_mutation",
                                                      "no_gradient_capture",
                                                      "no_backward",
                                                      "check_failed",
                                                      "device_lost",
                                                      "device_failed",
                                                      "library_failed",
                                                      "plugin_failed",
                                                      "step_failed",
                                                      "io",
                                                      "internal"};
static_assert(code_names.size() == static_cast<std::size_t>(ErrorCode::internal) + 1);

}  // namespace

std::string_view name_of(ErrorCode code) noexcept {
  return code_names[std::min(static_cast<std::size_t>(code), code_names.size() - 1)];
}

void assertion_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace graphbench
