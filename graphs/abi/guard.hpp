// Every call into a plugin goes through here: no exception of its leaves as anything but an Error.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "graphs/abi/text.hpp"
#include "graphs/ir/error.hpp"

namespace graphbench::abi {

// Calls `call`; what it throws becomes Error(plugin_failed, "<where>: threw ..."). The ABI forbids
// exceptions, but a plugin's author forgets one sooner or later, and the sweep must name who it was.
template <typename Call>
auto guarded(const std::string& where, Call&& call) -> decltype(call()) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::exception& error) {
    throw Error(ErrorCode::plugin_failed, where + ": threw an exception: " + printable(error.what()));
  } catch (...) {
    throw Error(ErrorCode::plugin_failed, where + ": threw something that is no std::exception");
  }
}

constexpr std::int32_t kRefused = -1;

// Runs one call of a table of functions that a plugin was given. After the first refusal all later calls are
// refused too, so that the kept message is the cause and not a consequence.
template <typename Handle, typename Call>
std::int32_t kept(Handle* handle, Call&& call) noexcept {
  if (handle == nullptr || !handle->refusal.empty()) return kRefused;
  try {
    return std::forward<Call>(call)();
  } catch (const std::exception& error) {
    handle->refusal = printable(error.what());
  } catch (...) {  // a plugin's infer() may throw anything
    handle->refusal = "a plugin's infer() threw something that is no std::exception";
  }
  return kRefused;
}

}  // namespace graphbench::abi
