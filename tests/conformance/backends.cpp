// Keeps the registered backends, and finds the exception that applies to a test.
#include "tests/conformance/backends.hpp"

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace graphbench::conformance {
namespace {

std::vector<BackendUnderTest>& registered() {
  static std::vector<BackendUnderTest> all;
  return all;
}

bool is_about(const Exception& exception, const std::string& test) {
  return fnmatch(exception.tests.c_str(), test.c_str(), 0) == 0;
}

bool names_a_test(const Exception& exception) {
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const ::testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) {
      if (is_about(exception, std::string(suite.name()) + "." + suite.GetTestInfo(k)->name())) return true;
    }
  }
  return false;
}

}  // namespace

BackendRegistration::BackendRegistration(BackendUnderTest backend) {
  registered().push_back(std::move(backend));
}

const std::vector<BackendUnderTest>& backends_under_test() {
  return registered();
}

const BackendUnderTest& backend_under_test(const std::string& name) {
  return *std::ranges::find(registered(), name, &BackendUnderTest::name);
}

std::vector<std::string> backends() {
  std::vector<std::string> names;
  for (const BackendUnderTest& backend : registered()) names.push_back(backend.name);
  return names;
}

const Exception* find_exception(const std::vector<Exception>& exceptions, const std::string& test,
                                const Device& device) {
  for (const Exception& exception : exceptions) {
    if (is_about(exception, test) && (exception.where == nullptr || exception.where(device)))
      return &exception;
  }
  return nullptr;
}

TEST(BackendList, EveryExceptionNamesATestAndAReason) {
  for (const BackendUnderTest& backend : backends_under_test()) {
    for (const std::vector<Exception>& list : {backend.unsupported, backend.expected_failures}) {
      for (const Exception& exception : list) {
        EXPECT_TRUE(names_a_test(exception)) << backend.name << ": no test is called " << exception.tests;
        EXPECT_FALSE(exception.why.empty()) << backend.name << ": " << exception.tests;
      }
    }
  }
}

}  // namespace graphbench::conformance
