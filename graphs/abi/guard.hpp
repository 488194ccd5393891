// Every call into a plugin goes through here: no exception of its leaves as anything but an Error.
#pragma once

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

}  // namespace graphbench::abi
