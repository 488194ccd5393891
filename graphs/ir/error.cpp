// Spelling of error codes, and the assertion that every build keeps.
#include "graphs/ir/error.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace graphbench {
namespace {

constexpr std::array<std::pair<ErrorCode, std::string_view>, 31> code_names{{
    {ErrorCode::invalid_argument, "invalid_argument"},
    {ErrorCode::unsupported, "unsupported"},
    {ErrorCode::out_of_memory, "out_of_memory"},
    {ErrorCode::capture_unsupported, "capture_unsupported"},
    {ErrorCode::capture_invalidated, "capture_invalidated"},
    {ErrorCode::capture_merge, "capture_merge"},
    {ErrorCode::capture_unmatched, "capture_unmatched"},
    {ErrorCode::capture_unjoined, "capture_unjoined"},
    {ErrorCode::capture_isolation, "capture_isolation"},
    {ErrorCode::capture_implicit, "capture_implicit"},
    {ErrorCode::captured_event, "captured_event"},
    {ErrorCode::capture_wrong_thread, "capture_wrong_thread"},
    {ErrorCode::graph_timeout, "graph_timeout"},
    {ErrorCode::graph_update_failed, "graph_update_failed"},
    {ErrorCode::not_capturable_op, "not_capturable_op"},
    {ErrorCode::host_op, "host_op"},
    {ErrorCode::mutated_input, "mutated_input"},
    {ErrorCode::not_batch_major, "not_batch_major"},
    {ErrorCode::state_not_splittable, "state_not_splittable"},
    {ErrorCode::recorded_nothing, "recorded_nothing"},
    {ErrorCode::undeclared_mutation, "undeclared_mutation"},
    {ErrorCode::no_gradient_capture, "no_gradient_capture"},
    {ErrorCode::no_backward, "no_backward"},
    {ErrorCode::check_failed, "check_failed"},
    {ErrorCode::device_lost, "device_lost"},
    {ErrorCode::device_failed, "device_failed"},
    {ErrorCode::library_failed, "library_failed"},
    {ErrorCode::plugin_failed, "plugin_failed"},
    {ErrorCode::io, "io"},
    {ErrorCode::internal, "internal"},
}};

}  // namespace

std::string_view name_of(ErrorCode code) noexcept {
  for (const auto& [known, name] : code_names) {
    if (known == code) return name;
  }
  return "internal";
}

void assertion_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace graphbench
