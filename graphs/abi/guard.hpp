// Guards every call into a plugin: turns an exception of the plugin into an Error.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "graphs/abi/text.hpp"
#include "graphs/base/error.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::abi {

// Turns an exception into Error(plugin_failed, "<where>: threw ..."). The ABI forbids exceptions, but a
// plugin may throw one by mistake, and the sweep must name the plugin.
template <typename Call>
auto guarded(const std::string& where, Call&& call) -> decltype(call()) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::exception& error) {
    throw Error(ErrorCode::plugin_failed, where + ": threw an exception: " + printable(error.what()));
  } catch (...) {
    throw Error(ErrorCode::plugin_failed, where + ": threw a value that is not a std::exception");
  }
}

constexpr std::int32_t kRefused = -1;

// Runs one call that a plugin makes through a function table. After the first refusal all later calls are
// refused too, so that the kept message names the first mistake and not a consequence of it.
template <typename Handle, typename Call>
std::int32_t kept(Handle* handle, Call&& call) noexcept {
  if (handle == nullptr || !handle->refusal.empty()) return kRefused;
  try {
    return std::forward<Call>(call)();
  } catch (const std::exception& error) {
    handle->refusal = printable(error.what());
  } catch (...) {  // a plugin's infer() may throw anything
    handle->refusal = "a plugin's infer() threw a value that is not a std::exception";
  }
  return kRefused;
}

template <typename Handle>
void record_failure(Handle* handle, const char* message) {
  if (handle == nullptr || !handle->failure.empty()) return;
  kept(handle, [&] {
    handle->failure =
        message == nullptr || *message == '\0' ? "the plugin failed without a message" : printable(message);
    return 0;
  });
}

// Calls the plugin's function `name`, which builds the handle's program, and returns the finished program.
// Throws Error(plugin_failed) if the plugin fails, graphbench refused a call, or the program is invalid.
template <typename Handle, typename Call>
ir::Program finished(Handle& handle, const std::string& where, const char* name, Call&& call) {
  const int status = guarded(where + ": " + name, std::forward<Call>(call));
  // A refused call is the cause of the error, whatever the plugin reports afterwards.
  for (const std::string* said : {&handle.refusal, &handle.failure}) {
    if (!said->empty()) throw Error(ErrorCode::plugin_failed, where + ": " + *said);
  }
  if (status != 0) {
    throw Error(ErrorCode::plugin_failed,
                where + ": " + name + " returned " + std::to_string(status) + " and no reason");
  }
  try {
    return handle.program.finish();
  } catch (const Error& error) {
    throw Error(ErrorCode::plugin_failed, where + ": " + error.what());
  }
}

}  // namespace graphbench::abi
