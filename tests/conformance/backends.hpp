// The backends under test. Each registers in a file of backends/ and gets the whole suite; what it does not
// run is listed there with the reason.
#pragma once

#include <string>
#include <vector>

#include "graphs/device/device.hpp"

namespace graphbench::conformance {

// Tests of a backend that are an exception, and why.
struct Exception {
  std::string tests;  // a pattern as fnmatch has it, over "Suite.Test/parameters"
  std::string why;
  bool (*where)(const Device&) = nullptr;  // null: on every machine
};

// Suites that run once more with other settings of the environment, as a CTest entry of their own.
struct Variant {
  std::string name;
  std::vector<std::string> environment;  // "NAME=VALUE"
  std::vector<std::string> suites = {};  // empty: all
};

struct BackendUnderTest {
  std::string name;             // as open_device() takes it, and with which its instances' names begin
  bool always_there = true;     // false: where a machine lacks the device, its tests are skipped
  void (*prepare)() = nullptr;  // called before the device is opened
  std::vector<Exception> unsupported = {};        // for good: these tests are skipped
  std::vector<Exception> expected_failures = {};  // defects: one that passes again must be taken off the list
  std::vector<Variant> variants = {};
};

struct BackendRegistration {
  explicit BackendRegistration(BackendUnderTest backend);
};

const std::vector<BackendUnderTest>& backends_under_test();
const BackendUnderTest& backend_under_test(const std::string& name);
std::vector<std::string> backends();  // their names

// Null where none of the exceptions is about the test.
const Exception* find_exception(const std::vector<Exception>& exceptions, const std::string& test,
                                const Device& device);

}  // namespace graphbench::conformance
