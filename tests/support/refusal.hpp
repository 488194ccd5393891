// What a call throws, for tests that look at the message or the code.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"

namespace graphbench::test {

// The message of the InputError that `call` throws; "accepted" where it throws none.
template <typename Call>
std::string refusal(const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

// The message of the Error that `call` throws; "none" where it throws none.
template <typename Call>
std::string failure(const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

// The Error that `call` throws. Fails the test where it throws none.
template <typename Call>
Error error_of(const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {ErrorCode::internal, "nothing was thrown"};
}

}  // namespace graphbench::test
