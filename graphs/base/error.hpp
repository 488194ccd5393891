// The one error type of the execution layer: what failed, on which object, and a code that
// the harness turns into a cell's reason.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace graphbench {

// Codes are stable words: `name_of` gives the spelling that result documents and metrics use.
enum class ErrorCode {
  invalid_argument,      // the caller's program, shape or option is wrong
  unsupported,           // this device cannot do it, and never will in this build
  out_of_memory,         // the device (or host) could not provide the memory
  capture_unsupported,   // CUDA 900: an operation not permitted while a stream is capturing
  capture_invalidated,   // CUDA 901: an earlier error invalidated the capture
  capture_merge,         // CUDA 902: it would have merged two separate captures
  capture_unmatched,     // CUDA 903: the capture was ended on another stream
  capture_unjoined,      // CUDA 904: a forked stream was not joined before the end
  capture_isolation,     // CUDA 905: a dependency crosses the capture's boundary
  capture_implicit,      // CUDA 906: an implicit dependency on the legacy stream
  captured_event,        // CUDA 907: an event recorded in a capture was used outside it
  capture_wrong_thread,  // CUDA 908: ended from a thread that did not begin it
  graph_timeout,         // CUDA 909
  graph_update_failed,   // CUDA 910: the update would change what an exec cannot change
  not_capturable_op,     // the program has an op that its author marked as not capturable
  host_op,               // the program has an op that runs on the host
  mutated_input,         // the program writes to one of its inputs
  address_moved,         // the caller passes another address than the one that a graph was captured with
  not_batch_major,       // a value's rows, one for each of the batch, do not follow one another
  state_not_splittable,  // a step was to run in parts, but its state belongs to whole batches
  recorded_nothing,      // a plugin's launch function recorded no node while it was captured
  undeclared_mutation,   // an op wrote a value that it does not declare to write
  no_gradient_capture,   // a training program has a gradient that cannot be captured
  no_backward,           // an op's kind has no gradient, or the program cannot be differentiated
  check_failed,          // outputs differ from the reference
  device_lost,           // a sticky error: this process's context is gone
  device_failed,         // a device call failed and the context survives
  library_failed,        // cuBLASLt, cuDNN or oneDNN reported an error
  plugin_failed,         // a plugin returned an error or threw
  step_failed,           // a foreign step's code failed, in the words of its library
  io,                    // a file, pipe or system call failed
  internal,              // a defect of ours
};

// True if the device refused to record something that it can run eagerly.
constexpr bool refuses_capture(ErrorCode code) noexcept {
  return (code >= ErrorCode::capture_unsupported && code <= ErrorCode::graph_timeout) ||
         code == ErrorCode::recorded_nothing;
}

// The reason code of result documents: the enumerator's own spelling.
std::string_view name_of(ErrorCode code) noexcept;

// An operating failure. `what()` reads "<operation>: <detail>", one line, fit for a person.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& what_failed) : std::runtime_error(what_failed), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

// A programmer's mistake, checked in every build: prints the condition and place, then aborts.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace graphbench

#define GRAPHBENCH_ASSERT(condition) \
  ((condition) ? (void)0 : ::graphbench::assertion_failed(#condition, __FILE__, __LINE__))
