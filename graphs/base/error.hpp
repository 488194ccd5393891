// The only error type of the execution layer. Its text names the failed operation and object; the harness
// turns its code into the reason of a cell.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace graphbench {

// The codes never change their names: `name_of` gives the spelling for result documents and metrics.
enum class ErrorCode {
  invalid_argument,  // the caller's program, shape or option is wrong
  unsupported,       // this device cannot run the operation in this build
  out_of_memory,
  capture_unsupported,   // CUDA 900: an operation not permitted while a stream is capturing
  capture_invalidated,   // CUDA 901: an earlier error invalidated the capture
  capture_merge,         // CUDA 902: the call would have merged two separate captures
  capture_unmatched,     // CUDA 903: the capture was ended on another stream
  capture_unjoined,      // CUDA 904: a forked stream was not joined before the end
  capture_isolation,     // CUDA 905: a dependency crosses the capture's boundary
  capture_implicit,      // CUDA 906: an implicit dependency on the legacy stream
  captured_event,        // CUDA 907: an event recorded in a capture was used outside it
  capture_wrong_thread,  // CUDA 908: a thread ended a capture that another thread began
  graph_timeout,         // CUDA 909
  graph_update_failed,   // CUDA 910: the update would change a part that a graph exec cannot change
  not_capturable_op,     // the program has an op that its author marked as not capturable
  host_op,               // the program has an op that runs on the host
  mutated_input,         // the program writes to one of its inputs
  address_moved,         // the caller's address differs from the captured one
  not_batch_major,       // the rows of a value's batch are not one after another in memory
  state_not_splittable,  // a step cannot be split, because its state belongs to the whole batch
  recorded_nothing,      // a plugin's launch function recorded no node while it was captured
  undeclared_mutation,   // an op wrote a value, but does not declare this write
  no_gradient_capture,   // a training program has a gradient that cannot be captured
  no_backward,           // an op's kind has no gradient, or the program cannot be differentiated
  check_failed,          // outputs differ from the reference
  device_lost,           // a sticky error: this process has lost its CUDA context
  device_failed,         // a device call failed, but the context is still usable
  library_failed,        // cuBLASLt, cuDNN or oneDNN reported an error
  plugin_failed,
  step_failed,  // a foreign step's code failed; the text comes from its library
  io,
  internal,  // a defect of graphbench
};

// True if the device refused to capture an operation that it can run eagerly.
constexpr bool refuses_capture(ErrorCode code) noexcept {
  return (code >= ErrorCode::capture_unsupported && code <= ErrorCode::graph_timeout) ||
         code == ErrorCode::recorded_nothing;
}

std::string_view name_of(ErrorCode code) noexcept;

// A failure at run time. `what()` reads "<operation>: <detail>": one line for people.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& what_failed) : std::runtime_error(what_failed), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

// Reports a programmer's mistake in every build: prints the condition and its place, then aborts.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace graphbench

#define GRAPHBENCH_ASSERT(condition) \
  ((condition) ? (void)0 : ::graphbench::assertion_failed(#condition, __FILE__, __LINE__))
