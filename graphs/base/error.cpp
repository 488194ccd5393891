// Spells the error codes, and prints a failed assertion before it aborts.
#include "graphs/base/error.hpp"

#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace graphbench {

BOOST_DESCRIBE_ENUM(ErrorCode, invalid_argument, unsupported, out_of_memory, capture_unsupported,
                    capture_invalidated, capture_merge, capture_unmatched, capture_unjoined,
                    capture_isolation, capture_implicit, captured_event, capture_wrong_thread, graph_timeout,
                    graph_update_failed, not_capturable_op, host_op, mutated_input, address_moved,
                    not_batch_major, state_not_splittable, recorded_nothing, undeclared_mutation,
                    no_gradient_capture, no_backward, check_failed, device_lost, device_failed,
                    library_failed, plugin_failed, step_failed, io, internal)
static_assert(boost::mp11::mp_size<boost::describe::describe_enumerators<ErrorCode>>::value ==
              static_cast<std::size_t>(ErrorCode::internal) + 1);

std::string_view name_of(ErrorCode code) noexcept {
  return boost::describe::enum_to_string(code, "internal");
}

void assertion_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace graphbench
