// The backends under test. A file in backends/ registers each, with the tests that it does not run, and why.
#pragma once

#include <string>
#include <vector>

#include "graphs/device/device.hpp"

namespace graphbench::conformance {

// Tests that a backend skips, or that are expected to fail on it, and why.
struct Exception {
  std::string tests;  // a pattern for fnmatch(), compared with "Suite.Test/parameters"
  std::string why;
  bool (*where)(const Device&) = nullptr;  // true if it applies to this device; null: always
};

// Suites that run a second time, as separate CTest entries, with these environment variables.
struct Variant {
  std::string name;
  std::vector<std::string> environment;  // "NAME=VALUE"
  std::vector<std::string> suites = {};  // empty: all
};

struct BackendUnderTest {
  std::string name;             // for open_device(); tests' parameters begin with it
  bool always_there = true;     // false: a machine without the device skips the backend's tests
  void (*prepare)() = nullptr;  // called before the device is opened
  std::vector<Exception> unsupported = {};
  std::vector<Exception> expected_failures = {};  // known defects: a test that passes is an error
  std::vector<Variant> variants = {};
};

struct BackendRegistration {
  explicit BackendRegistration(BackendUnderTest backend);
};

const std::vector<BackendUnderTest>& backends_under_test();
const BackendUnderTest& backend_under_test(const std::string& name);
std::vector<std::string> backends();

const Exception* find_exception(const std::vector<Exception>& exceptions, const std::string& test,
                                const Device& device);

}  // namespace graphbench::conformance
